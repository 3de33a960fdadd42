// node_peer.js - the node side of the codecs json-stringify and
// fast-json-stringify: a process that pbturbo-bench asks over a pipe, as it
// does go/go_peer.go.
//
//   node node_peer.js json-stringify
//   node node_peer.js fast-json-stringify FOLDER
//
// The second finds the package below FOLDER/node_modules. Messages come as JSON
// text and are built into objects before any clock runs. What is timed is what
// the benchmark of fast-json-stringify times: the call that returns a string.
// Bytes are counted as if it were written as UTF-8, which is not timed.
'use strict'
const fs = require('fs')
const path = require('path')
const schemas = require('./node_schemas.js')

const mask = (1n << 64n) - 1n
const [kind, folder] = process.argv.slice(2)
const packageFolder = path.join(folder || '.', 'node_modules', kind)
const version = folder ? require(path.join(packageFolder, 'package.json')).version : process.version

let messages = []
let stringify = JSON.stringify
// What a pass returns: the characters of all texts; and what pbturbo-bench
// expects for them.
let expectedChars = 0
let expectedFold = 0n

function fold (sum, bytes) {
  const ends = bytes.length === 0 ? 0 : bytes[0] << 8 | bytes[bytes.length - 1]
  const turned = ((sum << 7n) | (sum >> 57n)) & mask
  return turned ^ (BigInt(bytes.length) << 16n | BigInt(ends))
}

function load (name, blocks) {
  messages = blocks.map((block) => JSON.parse(block.toString('utf8')))
  if (name === 'fjs_date_time') messages = messages.map((text) => new Date(text))
  stringify = JSON.stringify
  if (folder) {
    if (!schemas[name]) throw new Error('no schema for ' + name)
    stringify = require(packageFolder)(schemas[name])
  }
  expectedChars = 0
  expectedFold = 0n
  for (const message of messages) {
    const text = stringify(message)
    expectedChars += text.length
    expectedFold = fold(expectedFold, Buffer.from(text, 'utf8'))
  }
}

function pass () {
  let chars = 0
  for (let i = 0; i < messages.length; i++) chars += stringify(messages[i]).length
  return chars
}

function run (n) {
  let good = true
  const start = process.hrtime.bigint()
  for (let i = 0; i < n; i++) good = pass() === expectedChars && good
  const elapsed = process.hrtime.bigint() - start
  return [elapsed, good ? expectedFold : 0n]
}

// The pipe. Standard input is read to the byte, and its end ends the process.
function readBytes (n) {
  const bytes = Buffer.alloc(n)
  for (let at = 0; at < n;) {
    let got = 0
    try {
      got = fs.readSync(0, bytes, at, n - at, null)
    } catch (error) {
      if (error.code === 'EAGAIN') continue
      throw error
    }
    if (got === 0) process.exit(0)
    at += got
  }
  return bytes
}

function writeBytes (bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

function readNumber () {
  return Number(readBytes(8).readBigUInt64LE())
}

function readBlock () {
  return readBytes(readNumber())
}

function numberBytes (number) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(number))
  return bytes
}

function blockBytes (block) {
  return Buffer.concat([numberBytes(block.length), block])
}

// The answer to one request; what it throws is the reason of a refusal.
function answer (request) {
  switch (request) {
    case 'V':
      return blockBytes(Buffer.from(version))
    case 'L': {
      const name = readBlock().toString()
      const blocks = []
      for (let n = readNumber(); n > 0; n--) blocks.push(readBlock())
      load(name, blocks)
      return Buffer.alloc(0)
    }
    case 'J':
      return blockBytes(Buffer.from(stringify(messages[readNumber()]), 'utf8'))
    case 'R': {
      readNumber() // the operation: there is but one
      const [elapsed, sum] = run(readNumber())
      return Buffer.concat([numberBytes(elapsed), numberBytes(sum)])
    }
  }
  return process.exit(1)
}

for (;;) {
  const request = readBytes(1).toString('latin1')
  let reply
  try {
    reply = Buffer.concat([Buffer.from([1]), answer(request)])
  } catch (error) {
    reply = Buffer.concat([Buffer.from([0]), blockBytes(Buffer.from(String(error.message)))])
  }
  writeBytes(reply)
}
