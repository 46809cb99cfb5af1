package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const attachmentOpenLong = `Copy a file of another session of the principal into this one, where it gets an address of
its own. The copy stays when the other session is deleted or purged. Opening the same file
again gives the same copy.

REF is SESSION/ID, as "glovebox attachment list --session SESSION" shows them, the address
in place of the id, or what a program was given: {"source_session_id":S,"material_id":ID}.
What the principal may not open is not_found, in the words of what never was.`

func (a *app) attachmentOpenCommand() *cobra.Command {
	var flag sessionFlag
	c := &cobra.Command{
		Use:   "open REF",
		Short: "Copy a file of another session into this one",
		Long:  attachmentOpenLong,
		Example: `  glovebox attachment open --session chat-42 chat-17/ID
  glovebox attachment open --session chat-42 '{"source_session_id":"chat-17","material_id":"ID"}'`,
		Args:              exactly(1, "one file of another session, SESSION/ID"),
		ValidArgsFunction: a.completeRef,
		RunE: func(c *cobra.Command, args []string) error {
			id, err := flag.id(c.CommandPath())
			if err != nil {
				return err
			}
			source, artifact, err := parseRef(args[0])
			if err != nil {
				return err
			}
			var got readapi.Attachment
			err = a.look(c.Context(), func(k keeper) error {
				got, err = k.session(id).OpenFrom(c.Context(), source, artifact)
				return err
			})
			if err != nil {
				return asFailure(args[0], storeFailure(err))
			}
			doc := attachmentsDocument{Attachments: []readapi.Attachment{got}}
			if a.global.json {
				return a.printDone(doc)
			}
			a.printAttachments(doc.Attachments)
			return nil
		},
	}
	flag.register(c.Flags(), "the session `S` that gets the copy")
	complete(c, "session", a.completeSessions)
	return c
}

// parseRef reads how a file of another session is named.
func parseRef(arg string) (readapi.SessionID, readapi.ArtifactID, error) {
	session, file, ok := strings.Cut(arg, "/")
	if strings.HasPrefix(strings.TrimSpace(arg), "{") {
		var handle struct {
			Session *string `json:"source_session_id"`
			File    *string `json:"material_id"`
		}
		if ok = json.Unmarshal([]byte(arg), &handle) == nil && handle.Session != nil && handle.File != nil; ok {
			session, file = *handle.Session, *handle.File
		}
	}
	id := readapi.ArtifactID(file)
	if ok && readapi.IsURI(file) {
		var err error
		if id, err = readapi.ParseURI(file); err != nil {
			return "", "", asFailure(arg, err)
		}
	}
	if !ok || !readapi.SessionID(session).Valid() || !id.Valid() {
		f := usage("this names no file of another session", `It is SESSION/ID; "glovebox attachment list --session SESSION" shows the ids.`)
		f.subject = arg
		return "", "", f
	}
	return readapi.SessionID(session), id, nil
}
