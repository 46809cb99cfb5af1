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
    deleted    INTEGER,                   -- NULL while it is live
    PRIMARY KEY (principal, session, id),
    UNIQUE (principal, session, seq),
    FOREIGN KEY (principal, session) REFERENCES sessions (principal, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_by_blob ON artifacts (blob) WHERE blob IS NOT NULL;

CREATE INDEX artifacts_by_id ON artifacts (id);

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

CREATE TABLE sessions (
    principal TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    messages  INTEGER NOT NULL,           -- of the user and of the assistant
    events    INTEGER NOT NULL,           -- the next event's seq
    artifacts INTEGER NOT NULL,           -- the next artifact's seq
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL,
    archived  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (principal, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_update ON sessions (principal, updated DESC, session);

