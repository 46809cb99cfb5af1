-- +goose Up
-- Quotas, versions of a name, deletion in steps, uploads, and what several hosts agree on.

ALTER TABLE sessions ADD COLUMN files   INTEGER NOT NULL DEFAULT 0;   -- artifacts with bytes, until they are purged
ALTER TABLE sessions ADD COLUMN bytes   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN deleted INTEGER;                      -- NULL while it is not deleted
ALTER TABLE sessions ADD COLUMN purging INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_purging ON sessions (principal, session) WHERE purging = 1;

ALTER TABLE artifacts ADD COLUMN version INTEGER NOT NULL DEFAULT 1;  -- among those of its name in its session, from 1
ALTER TABLE artifacts ADD COLUMN purging INTEGER NOT NULL DEFAULT 0;

-- What is being purged keeps no bytes: a claim of them must not look through all that is.
DROP INDEX artifacts_by_blob;
CREATE INDEX artifacts_by_blob ON artifacts (blob, purging) WHERE blob IS NOT NULL;

CREATE INDEX artifacts_by_name ON artifacts (principal, session, name, version);
CREATE INDEX artifacts_purging ON artifacts (principal, session, id) WHERE purging = 1;

CREATE TABLE usage (
    principal TEXT    NOT NULL PRIMARY KEY,  -- '' is all together
    files     INTEGER NOT NULL,
    bytes     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE uploads (
    principal TEXT NOT NULL,
    session   TEXT NOT NULL,
    id        TEXT NOT NULL,
    begun     TEXT NOT NULL,                 -- digest of what it was begun with
    artifact  TEXT NOT NULL,
    PRIMARY KEY (principal, session, id),
    FOREIGN KEY (principal, session) REFERENCES sessions (principal, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_by_artifact ON uploads (principal, session, artifact);

CREATE TABLE leases (
    sha256 TEXT    NOT NULL,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (sha256, holder)
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_by_holder ON leases (holder);

CREATE TABLE claims (
    sha256 TEXT    NOT NULL PRIMARY KEY,
    until  INTEGER NOT NULL,
    boot   TEXT    NOT NULL,                 -- of the machine, '' where it says none
    steady INTEGER NOT NULL                  -- the same end by the clock that nobody sets and that runs from that boot
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
    name   TEXT    NOT NULL PRIMARY KEY,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE hosts (
    id       TEXT    NOT NULL PRIMARY KEY,
    decoders TEXT    NOT NULL,               -- JSON: an array of {name, digest, enabled, takes}
    until    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is there already.

UPDATE artifacts SET version = v.n FROM (SELECT principal AS p, session AS s, id AS i,
        row_number() OVER (PARTITION BY principal, session, name ORDER BY seq) AS n FROM artifacts) AS v
    WHERE principal = v.p AND session = v.s AND id = v.i;

UPDATE sessions SET files = v.n, bytes = v.b FROM (SELECT principal AS p, session AS s, count(*) AS n, sum(bytes) AS b FROM artifacts
        WHERE blob IS NOT NULL GROUP BY principal, session) AS v
    WHERE principal = v.p AND session = v.s;

INSERT INTO usage SELECT principal, sum(files), sum(bytes) FROM sessions GROUP BY principal;

INSERT INTO usage SELECT '', coalesce(sum(files), 0), coalesce(sum(bytes), 0) FROM sessions;

PRAGMA user_version = 2;
