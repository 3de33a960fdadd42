-- The tables of client_postgis.sh: all of it is made of numbers, none of them
-- random. tile: points and lines in the coordinates of a tile; shape: lines
-- and polygons of many vertices.
CREATE EXTENSION postgis;

CREATE FUNCTION spread(n bigint, below int) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS
$$ SELECT (n * 2654435761 % 4294967296) * below / 4294967296.0 $$;

CREATE TABLE tile (
    id bigint, name text, kind text, height double precision, open boolean,
    geom geometry);
CREATE TABLE shape (id bigint, name text, area double precision, geom geometry);
DO $$ BEGIN
    PERFORM pg_create_logical_replication_slot('decoded', 'decoderbufs');
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'no decoderbufs: %', SQLERRM;
END $$;

INSERT INTO tile
SELECT i, 'place ' || i, (ARRAY['cafe', 'shop', 'tree'])[1 + i % 3],
    spread(i + 7, 300), i % 5 = 0,
    CASE WHEN i % 4 < 3
        THEN ST_MakePoint(floor(spread(i, 4096)), floor(spread(i + 1, 4096)))
        ELSE ST_MakeLine(ARRAY(
            SELECT ST_MakePoint(floor(spread(i, 4096)) + j,
                                floor(spread(i * j, 4096)))
            FROM generate_series(1, 8) j)) END
FROM generate_series(1, 50000) i;

INSERT INTO shape
SELECT i, 'shape ' || i, spread(i, 1000),
    CASE WHEN i % 2 = 0
        THEN ST_MakeLine(ARRAY(
            SELECT ST_MakePoint(spread(i * j, 360) - 180, spread(j, 180) - 90)
            FROM generate_series(1, 200) j))
        ELSE ST_Buffer(ST_MakePoint(spread(i, 300) - 150, spread(i + 3, 100) - 50),
                       1 + i % 9, 32) END
FROM generate_series(1, 2000) i;
ANALYZE;
