#!/usr/bin/env python3
"""clients_net.py - the other end of what client_*.sh runs, on
loopback.

  dns PORT SOURCE-PORT N   asks a name server N times, one after the other, with
                           identifiers that count, so that all bytes are given
  free N                   prints N ports that are free
  cpu PID                  prints the nanoseconds of CPU that a process and its
                           children have had
  datagrams PORT FILE N    writes N datagrams, each after its size
  riemann PORT FILE        a server of Riemann's protocol on TCP, which writes
                           what it gets
  lines SOCKET FILE        sends the lines of a file, each after the answer to
                           the one before
  scrape PORT N            asks for metrics as protobuf N times; prints the last
"""
import glob
import http.client
import socket
import struct
import sys
import time


def dns(port, source_port, count):
    """Waits for each answer before the next question, and a little longer, so
    that the log is written meanwhile."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", int(source_port)))
        link.connect(("127.0.0.1", int(port)))
        link.settimeout(10)
        for i in range(int(count)):
            name = b"host%d" % (i % 100)
            question = struct.pack(">HHHHHH", i & 0xFFFF, 0x100, 1, 0, 0, 0)
            for label in (name, b"clients", b"example"):
                question += bytes([len(label)]) + label
            kind = 28 if i % 3 == 0 else 1
            link.send(question + struct.pack(">BHH", 0, kind, 1))
            answer = link.recv(4096)
            if answer[:2] != question[:2]:
                raise SystemExit("dns: an answer to another question")
            time.sleep(0.001)


def free(count):
    links = []
    for _ in range(int(count)):
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            links.append(socket.socket(socket.AF_INET, kind))
        links[-2].bind(("127.0.0.1", 0))
        links[-1].bind(links[-2].getsockname())
    print(*(link.getsockname()[1] for link in links[::2]))


def lines(path, name):
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        answers = link.makefile("r")
        with open(name, "rb") as values:
            for line in values:
                link.sendall(line)
                answer = answers.readline()
                if not answer.startswith("0 "):
                    raise SystemExit(f"lines: {answer}")


def scrape(port, count):
    kind = "application/vnd.google.protobuf; "
    kind += "proto=io.prometheus.client.MetricFamily; encoding=delimited"
    for _ in range(int(count)):
        link = http.client.HTTPConnection("127.0.0.1", int(port))
        link.request("GET", "/metrics", headers={"Accept": kind})
        answer = link.getresponse()
        if not answer.getheader("Content-Type").startswith(kind[:31]):
            raise SystemExit("scrape: not protobuf")
        body = answer.read()
        link.close()
    sys.stdout.buffer.write(body)


def cpu(pid):
    print(cpu_of(int(pid)))


def cpu_of(pid):
    """The clock of another process counts its former threads too."""
    total = time.clock_gettime_ns(~pid << 3 | 2)
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path) as children:
            total += sum(cpu_of(int(child)) for child in children.read().split())
    return total


def datagrams(port, name, count):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", int(port)))
        link.settimeout(60)
        print("up", flush=True)
        with open(name, "wb") as out:
            for _ in range(int(count)):
                data = link.recv(65536)
                out.write(struct.pack(">I", len(data)) + data)


def riemann(port, name):
    with socket.create_server(("127.0.0.1", int(port))) as server:
        print("up", flush=True)
        with open(name, "wb", buffering=0) as out:
            while True:
                with server.accept()[0] as link:
                    stream = link.makefile("rb")
                    while size := stream.read(4):
                        out.write(size + stream.read(*struct.unpack(">I", size)))
                        # the field ok, true
                        link.sendall(struct.pack(">I", 2) + b"\x10\x01")


if __name__ == "__main__":
    commands = (cpu, datagrams, dns, free, lines, riemann, scrape)
    {call.__name__: call for call in commands}[sys.argv[1]](*sys.argv[2:])
