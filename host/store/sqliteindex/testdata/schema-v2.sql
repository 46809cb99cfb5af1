CREATE TABLE artifacts (
    principal  TEXT    NOT NULL,
    session    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    blob       TEXT,                      -- sha256; NULL for a foreign URI, which has no bytes here
    bytes      INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    source     TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    media_type TEXT    NOT NULL,
    candidates TEXT    NOT NULL,          -- JSON: an array of media types
    declared   TEXT    NOT NULL,
    mismatch   INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    deleted    INTEGER, version INTEGER NOT NULL DEFAULT 1, purging INTEGER NOT NULL DEFAULT 0,                   -- NULL while it is live
    PRIMARY KEY (principal, session, id),
    UNIQUE (principal, session, seq),
    FOREIGN KEY (principal, session) REFERENCES sessions (principal, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_by_blob ON artifacts (blob, purging) WHERE blob IS NOT NULL;

CREATE INDEX artifacts_by_id ON artifacts (id);

CREATE INDEX artifacts_by_name ON artifacts (principal, session, name, version);

CREATE INDEX artifacts_purging ON artifacts (principal, session, id) WHERE purging = 1;

CREATE TABLE claims (
    sha256 TEXT    NOT NULL PRIMARY KEY,
    until  INTEGER NOT NULL,
    boot   TEXT    NOT NULL,                 -- of the machine, '' where it says none
    steady INTEGER NOT NULL                  -- the same end by the clock that nobody sets and that runs from that boot
) STRICT, WITHOUT ROWID;

CREATE TABLE decoder_set (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,
    decoders   TEXT    NOT NULL           -- JSON: an array of {name, digest, enabled}
) STRICT;

CREATE TABLE events (
    principal TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    seq       INTEGER NOT NULL,
    id        TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    turn      TEXT    NOT NULL,
    time      INTEGER NOT NULL,
    message   INTEGER NOT NULL,
    payload   TEXT    NOT NULL,           -- JSON, as package ledger writes it
    PRIMARY KEY (principal, session, seq),
    UNIQUE (principal, session, id),
    FOREIGN KEY (principal, session) REFERENCES sessions (principal, session)
) STRICT;

CREATE TABLE hosts (
    id       TEXT    NOT NULL PRIMARY KEY,
    decoders TEXT    NOT NULL,               -- JSON: an array of {name, digest, enabled, takes}
    until    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    sha256 TEXT    NOT NULL,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (sha256, holder)
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_by_holder ON leases (holder);

CREATE TABLE names (
    name   TEXT    NOT NULL PRIMARY KEY,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    principal TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    messages  INTEGER NOT NULL,           -- of the user and of the assistant
    events    INTEGER NOT NULL,           -- the next event's seq
    artifacts INTEGER NOT NULL,           -- the next artifact's seq
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL,
    archived  INTEGER NOT NULL DEFAULT 0, files   INTEGER NOT NULL DEFAULT 0, bytes   INTEGER NOT NULL DEFAULT 0, deleted INTEGER, purging INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (principal, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_update ON sessions (principal, updated DESC, session);

CREATE INDEX sessions_purging ON sessions (principal, session) WHERE purging = 1;

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

CREATE TABLE usage (
    principal TEXT    NOT NULL PRIMARY KEY,  -- '' is all together
    files     INTEGER NOT NULL,
    bytes     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

