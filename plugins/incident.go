package plugins

import "github.com/glovebox-wasm/glovebox/readapi"

// Isolation says where guests run.
type Isolation int

// InProcess runs guests in this process, behind fuel, memory and time limits. Process runs each instance in a helper process of its own as
// well, which has no files, network or rights, for those who cannot accept a bug of the compiler's. It costs about two milliseconds a read.
const (
	InProcess Isolation = iota
	Process
)

// String returns the isolation's name: "in-process" or "process".
func (i Isolation) String() string {
	if i == Process {
		return "process"
	}
	return "in-process"
}

// State is whether a decoder is in service.
type State string

// The states of a decoder.
const (
	StateReady       State = "ready"
	StateResting     State = "resting"     // its circuit breaker is open: reads are busy until it is tried again
	StateQuarantined State = "quarantined" // its answers could not be trusted: reads are refused until it is enabled again
)

// Incident is something that a registry did on its own account.
type Incident struct {
	Kind    IncidentKind
	Decoder readapi.DecoderInfo
	SHA256  string // of the file, where it is about one; for the operator
	Detail  string // one sentence of ours
}

// IncidentKind says what happened.
type IncidentKind string

// The incidents.
const (
	DecoderResting     IncidentKind = "decoder_resting"     // the circuit breaker opened
	DecoderRecovered   IncidentKind = "decoder_recovered"   // and closed again
	DecoderQuarantined IncidentKind = "decoder_quarantined" // two runs of one read gave different answers
	FileQuarantined    IncidentKind = "file_quarantined"    // a file failed the host twice with a decoder, which does not get it again
)
