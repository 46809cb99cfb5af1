-- +goose Up
-- Times are milliseconds since 1970, UTC. Keys are in the order of their bytes, whatever the database's own order is. Every key begins
-- with whose a row is, so that a lookup never meets a row of another. There are no foreign keys: whoever changes rows of a session has
-- locked the session's row, and a check by the database would lock it once more for each row.
--
-- One index of a table begins with the principal and the session as they are; the others are on expressions. The server believes that the
-- two columns have nothing to do with each other, so it takes sessions for much smaller than they are, and would walk one by whichever
-- index comes first. So it has no choice.

CREATE TABLE glovebox.sessions (
    messages  bigint  NOT NULL,                 -- of the user and of the assistant
    events    bigint  NOT NULL,                 -- the next event's seq
    artifacts bigint  NOT NULL,                 -- the next artifact's seq
    files     bigint  NOT NULL,                 -- artifacts with bytes, until they are purged
    bytes     bigint  NOT NULL,
    created   bigint  NOT NULL,
    updated   bigint  NOT NULL,
    deleted   bigint,                           -- NULL while it is not deleted
    archived  boolean NOT NULL DEFAULT false,
    purging   boolean NOT NULL DEFAULT false,
    principal text    COLLATE "C" NOT NULL,
    session   text    COLLATE "C" NOT NULL,
    PRIMARY KEY (principal, session)
) WITH (fillfactor = 80);

CREATE INDEX sessions_by_update ON glovebox.sessions ((principal || ''), updated DESC, session);
CREATE INDEX sessions_purging ON glovebox.sessions (principal, session) WHERE purging;

CREATE TABLE glovebox.artifacts (
    seq        bigint  NOT NULL,
    bytes      bigint  NOT NULL,
    created    bigint  NOT NULL,
    version    bigint  NOT NULL,                -- among those of its name in its session, from 1
    deleted    bigint,                          -- NULL while it is live
    mismatch   boolean NOT NULL,
    purging    boolean NOT NULL,
    principal  text    COLLATE "C" NOT NULL,
    session    text    COLLATE "C" NOT NULL,
    id         text    COLLATE "C" NOT NULL,
    blob       bytea,                           -- sha256; NULL for a foreign URI, which has no bytes here
    name       text    COLLATE "C" NOT NULL,
    kind       text    COLLATE "C" NOT NULL,
    source     text    COLLATE "C" NOT NULL,
    status     text    COLLATE "C" NOT NULL,
    media_type text    COLLATE "C" NOT NULL,
    candidates text    COLLATE "C" NOT NULL,    -- JSON: an array of media types
    declared   text    COLLATE "C" NOT NULL,
    PRIMARY KEY (principal, session, id)
);

-- There is no slash in an id.
CREATE UNIQUE INDEX artifacts_by_seq ON glovebox.artifacts ((principal || '/' || session), seq);

-- A name may be longer than an entry of an index, so it is found by a hash, and then compared.
CREATE INDEX artifacts_by_name ON glovebox.artifacts (hashtextextended(principal || '/' || session || '/' || name, 0), version);

-- For audit only, and by the hash, so that no lookup for a session can begin with it.
CREATE INDEX artifacts_by_id ON glovebox.artifacts (hashtextextended(id, 0));

CREATE INDEX artifacts_by_blob ON glovebox.artifacts (blob) WHERE blob IS NOT NULL;
CREATE INDEX artifacts_purging ON glovebox.artifacts (principal, session, id) WHERE purging;

CREATE TABLE glovebox.events (
    seq       bigint  NOT NULL,
    time      bigint  NOT NULL,
    message   boolean NOT NULL,
    principal text    COLLATE "C" NOT NULL,
    session   text    COLLATE "C" NOT NULL,
    id        text    COLLATE "C" NOT NULL,
    type      text    COLLATE "C" NOT NULL,
    turn      text    COLLATE "C" NOT NULL,
    payload   text    COLLATE "C" NOT NULL,     -- JSON, as package ledger writes it, byte for byte
    PRIMARY KEY (principal, session, seq)
);

-- An id may be longer than an entry of an index, too. That it is unique is seen to by who appends, with the session's row locked.
CREATE INDEX events_by_id ON glovebox.events (hashtextextended(principal || '/' || session || '/' || id, 0));

CREATE TABLE glovebox.uploads (
    principal text COLLATE "C" NOT NULL,
    session   text COLLATE "C" NOT NULL,
    id        text COLLATE "C" NOT NULL,
    begun     text COLLATE "C" NOT NULL,        -- digest of what it was begun with
    artifact  text COLLATE "C" NOT NULL,
    PRIMARY KEY (principal, session, id)
);

CREATE INDEX uploads_by_artifact ON glovebox.uploads (hashtextextended(principal || '/' || session || '/' || artifact, 0));

-- What a principal keeps is the sum of its parts: a session counts in one of them, so that its sessions do not wait for one row.
CREATE TABLE glovebox.usage (
    files     bigint   NOT NULL,
    bytes     bigint   NOT NULL,
    part      smallint NOT NULL,
    principal text     COLLATE "C" NOT NULL,
    PRIMARY KEY (principal, part)
) WITH (fillfactor = 50);

CREATE TABLE glovebox.leases (
    until  bigint NOT NULL,
    sha256 bytea  NOT NULL,
    holder text   COLLATE "C" NOT NULL,
    PRIMARY KEY (sha256, holder)
);

CREATE INDEX leases_by_holder ON glovebox.leases (holder);

CREATE TABLE glovebox.claims (
    until  bigint NOT NULL,
    sha256 bytea  PRIMARY KEY
);

CREATE TABLE glovebox.names (
    until  bigint NOT NULL,
    name   text   COLLATE "C" PRIMARY KEY,
    holder text   COLLATE "C" NOT NULL
);

CREATE TABLE glovebox.hosts (
    until    bigint NOT NULL,
    id       text   COLLATE "C" PRIMARY KEY,
    decoders text   COLLATE "C" NOT NULL        -- JSON: an array of {name, digest, enabled}
);

CREATE TABLE glovebox.decoder_set (
    generation bigint  NOT NULL,
    one        integer PRIMARY KEY CHECK (one = 1),
    decoders   text    COLLATE "C" NOT NULL     -- JSON: an array of {name, digest, enabled}
);

INSERT INTO glovebox.decoder_set (generation, one, decoders) VALUES (0, 1, '[]');

-- Answers that can be made again: not in the log that makes rows durable, and gone after a crash of the server.
CREATE UNLOGGED TABLE glovebox.answers (
    used  bigint NOT NULL,
    key   bytea  PRIMARY KEY,
    value bytea  NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION glovebox.now_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
-- +goose StatementEnd
