#!/usr/bin/env python3
"""clients_pg_query.py LIBRARY bytes FILE - writes parse trees, and the SQL that
                                          is made of them, to FILE
clients_pg_query.py LIBRARY time KIND     - prints the nanoseconds of CPU that
                                          parsing takes

KIND is a key of STATEMENTS.
"""
import ctypes
import sys
import time


class Bytes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p)]


class Tree(ctypes.Structure):
    _fields_ = [
        ("bytes", Bytes),
        ("stderr", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    ]


class Text(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("error", ctypes.c_void_p)]


def nested(levels):
    sql = "SELECT a FROM t"
    for i in range(levels):
        sql = f"SELECT x{i}.a FROM ({sql}) x{i} WHERE x{i}.a > {i}"
    return sql + ";"


STATEMENTS = {
    "many": "".join(
        f"SELECT a{i}, b + {i} AS c, count(*) FROM t{i} JOIN u USING (id) "
        f"WHERE x IN (1, 2, {i}) AND y LIKE 'z%' OR NOT (a = 2.5 AND b IS NULL) "
        f"GROUP BY 1, 2 HAVING count(*) > 3 ORDER BY 1 DESC LIMIT {i};"
        f"INSERT INTO t{i} (a, b) VALUES ('text', $1), (NULL, {i}) "
        f"ON CONFLICT DO NOTHING RETURNING *;"
        f"UPDATE t{i} SET a = CASE WHEN b > 0 THEN now() ELSE b::text END;"
        for i in range(50)
    ),
    "nested": nested(40),
    "other": "CREATE TABLE t (id serial PRIMARY KEY, n numeric(8, 2) NOT NULL "
    "DEFAULT 0 CHECK (n > 0)); WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL "
    "SELECT i + 1 FROM r WHERE i < 9) SELECT sum(i) OVER (PARTITION BY i % 2 "
    "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM r; GRANT SELECT ON t TO me;"
    "SELECT '\u00e4\u20ac', E'\\n', B'101', -9223372036854775808, 1e300;",
}


def main(path, what, argument):
    library = ctypes.CDLL(path)
    parse = library.pg_query_parse_protobuf
    parse.restype, parse.argtypes = Tree, [ctypes.c_char_p]
    free = library.pg_query_free_protobuf_parse_result
    free.restype, free.argtypes = None, [Tree]
    deparse = library.pg_query_deparse_protobuf
    deparse.restype, deparse.argtypes = Text, [Bytes]

    if what == "bytes":
        with open(argument, "wb") as out:
            for sql in STATEMENTS.values():
                tree = parse(sql.encode())
                text = deparse(tree.bytes)
                if tree.error or text.error:
                    raise SystemExit("an error of libpg_query")
                out.write(ctypes.string_at(tree.bytes.data, tree.bytes.size))
                out.write(text.text)
        return

    sql = STATEMENTS[argument].encode()
    free(parse(sql))
    start = time.process_time_ns()
    for _ in range(50):
        free(parse(sql))
    print((time.process_time_ns() - start) // 50)


if __name__ == "__main__":
    main(*sys.argv[1:])
