package sqliteindex

// Version is the version of the schema that this program reads and writes.
const Version = schemaVersion
