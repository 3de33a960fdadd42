// go_peer.go - the Go side of the codec go: a process that pbturbo-bench asks
// over a pipe.
//
// A request is one byte and what belongs to it; all numbers are 64 bits,
// little-endian. Each answer starts with a byte: 1, or 0 and a reason.
//
//	V                          -> text
//	L type n (len bytes)...    -> nothing more; replaces the dataset
//	O i                        -> the bytes of message i
//	P i                        -> the same, after unmarshaling it afresh
//	F options                  -> an empty text; sets what J does: 1 names of
//	                              the .proto file, 2 fields that are unset, too
//	J i                        -> message i as JSON
//	U len bytes                -> the bytes of a message that is given as JSON
//	R op n                     -> nanoseconds and the folded result of n passes
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// In the order of bench_op.
const (
	opMarshal = iota
	opSize
	opCheck
	opUnmarshal
	opJSON
)

var order = binary.LittleEndian

// Like the generated code's own users, it does not check required fields twice.
var options = proto.MarshalOptions{AllowPartial: true}

type dataset struct {
	kind     protoreflect.MessageType
	bytes    [][]byte
	messages []proto.Message
	buffer   []byte
	json     protojson.MarshalOptions
}

func (d *dataset) parse(i int) (proto.Message, error) {
	message := d.kind.New().Interface()
	return message, proto.Unmarshal(d.bytes[i], message)
}

// load takes the messages even if the type is unknown: they are on the way.
func (d *dataset) load(name string, bytes [][]byte) error {
	*d = dataset{bytes: bytes}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(
		protoreflect.FullName(name))
	if err != nil {
		return errors.New("no generated type of that name")
	}
	d.kind = kind
	for i := range bytes {
		message, err := d.parse(i)
		if err != nil {
			return err
		}
		d.messages = append(d.messages, message)
	}
	return nil
}

func fold(sum, result uint64) uint64 {
	return (sum<<7 | sum>>57) ^ result
}

func foldBytes(sum uint64, data []byte) uint64 {
	if len(data) == 0 {
		return fold(sum, 0)
	}
	ends := uint64(data[0])<<8 | uint64(data[len(data)-1])
	return fold(sum, uint64(len(data))<<16|ends)
}

func (d *dataset) marshal(message proto.Message) ([]byte, error) {
	var err error
	d.buffer, err = options.MarshalAppend(d.buffer[:0], message)
	return d.buffer, err
}

func (d *dataset) marshalAll() (sum uint64) {
	for _, message := range d.messages {
		data, err := d.marshal(message)
		if err != nil {
			return 0
		}
		sum = foldBytes(sum, data)
	}
	return sum
}

func (d *dataset) sizeAll() (sum uint64) {
	for _, message := range d.messages {
		sum = fold(sum, uint64(options.Size(message)))
	}
	return sum
}

func (d *dataset) readJSON(text []byte) ([]byte, error) {
	message := d.kind.New().Interface()
	err := protojson.UnmarshalOptions{AllowPartial: true}.Unmarshal(text, message)
	if err != nil {
		return nil, err
	}
	return options.Marshal(message)
}

func (d *dataset) printAll() (sum uint64) {
	for _, message := range d.messages {
		text, err := d.json.Marshal(message)
		if err != nil {
			return 0
		}
		sum = foldBytes(sum, text)
	}
	return sum
}

func one(err error) uint64 {
	if err == nil {
		return 1
	}
	return 0
}

func (d *dataset) checkAll() (sum uint64) {
	for _, message := range d.messages {
		sum = fold(sum, one(proto.CheckInitialized(message)))
	}
	return sum
}

func (d *dataset) unmarshalAll() (sum uint64) {
	for i := range d.bytes {
		_, err := d.parse(i)
		sum = fold(sum, one(err))
	}
	return sum
}

func (d *dataset) run(op, n uint64) (ns, sum uint64) {
	pass := d.marshalAll
	switch op {
	case opSize:
		pass = d.sizeAll
	case opCheck:
		pass = d.checkAll
	case opUnmarshal:
		pass = d.unmarshalAll
	case opJSON:
		pass = d.printAll
	}
	start := time.Now()
	for i := uint64(0); i < n; i++ {
		sum = pass()
	}
	return uint64(time.Since(start).Nanoseconds()), sum
}

// A peer is the pipe; the first error ends the process.
type peer struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func must(err error) {
	if err != nil {
		os.Exit(1)
	}
}

func (p *peer) number() uint64 {
	var bytes [8]byte
	_, err := io.ReadFull(p.in, bytes[:])
	must(err)
	return order.Uint64(bytes[:])
}

func (p *peer) block() []byte {
	bytes := make([]byte, p.number())
	_, err := io.ReadFull(p.in, bytes)
	must(err)
	return bytes
}

func (p *peer) putNumber(number uint64) {
	must(binary.Write(p.out, order, number))
}

func (p *peer) putBlock(bytes []byte) {
	p.putNumber(uint64(len(bytes)))
	_, err := p.out.Write(bytes)
	must(err)
}

// status answers 1 and true, or 0, the reason and false.
func (p *peer) status(err error) bool {
	must(p.out.WriteByte(byte(one(err))))
	if err != nil {
		p.putBlock([]byte(err.Error()))
	}
	return err == nil
}

func (p *peer) answer(data []byte, err error) {
	if p.status(err) {
		p.putBlock(data)
	}
}

func (p *peer) load(d *dataset) {
	name := string(p.block())
	bytes := make([][]byte, p.number())
	for i := range bytes {
		bytes[i] = p.block()
	}
	p.status(d.load(name, bytes))
	runtime.GC()
}

func (p *peer) output(d *dataset, message proto.Message, err error) {
	var data []byte
	if err == nil {
		data, err = d.marshal(message)
	}
	p.answer(data, err)
}

func main() {
	p := &peer{bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)}
	d := &dataset{}
	for {
		request, err := p.in.ReadByte()
		must(err)
		switch request {
		case 'V':
			p.status(nil)
			p.putBlock([]byte(runtime.Version()))
		case 'L':
			p.load(d)
		case 'O':
			p.output(d, d.messages[p.number()], nil)
		case 'P':
			message, err := d.parse(int(p.number()))
			p.output(d, message, err)
		case 'F':
			options := p.number()
			d.json.UseProtoNames = options&1 != 0
			d.json.EmitUnpopulated = options&2 != 0
			p.answer(nil, nil)
		case 'J':
			text, err := d.json.Marshal(d.messages[p.number()])
			p.answer(text, err)
		case 'U':
			p.answer(d.readJSON(p.block()))
		case 'R':
			op := p.number()
			ns, sum := d.run(op, p.number())
			p.status(nil)
			p.putNumber(ns)
			p.putNumber(sum)
		default:
			os.Exit(1)
		}
		must(p.out.Flush())
	}
}
