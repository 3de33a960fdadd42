// numbers_node.js - compares the output of numbers-print with String(x).
'use strict';
const lines = require('fs').readFileSync(0, 'latin1').trimEnd().split('\n');
const bytes = new DataView(new ArrayBuffer(8));
let bad = 0;
for (const line of lines) {
  const [bits, text] = line.split(' ');
  bytes.setBigUint64(0, BigInt('0x' + bits));
  const v = bytes.getFloat64(0);
  const want = Object.is(v, -0) ? '-0' : String(v);
  if (text !== want && bad++ < 10)
    console.log(`${bits}: ${text}, not ${want}`);
}
console.log(`${lines.length} numbers, ${bad} differ`);
process.exit(bad === 0 && lines.length > 1000 ? 0 : 1);
