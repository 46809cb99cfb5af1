package binary

import "strings"

// The modules that a guest may import from.
const (
	ModuleGlovebox = "glovebox"               // this project's ABI, version 1
	ModuleWASI     = "wasi_snapshot_preview1" // served by stubs that grant nothing
)

// HostFunc is a function that the host offers to guests.
type HostFunc struct {
	Module, Name string
	Type         FuncType
}

// hostFuncs spells a list of "name params results" with i for i32 and I for i64; "-" is an empty list.
func hostFuncs(module string, lines []string) []HostFunc {
	list := func(s string) (out []ValType) {
		for _, r := range strings.Trim(s, "-") {
			if r == 'I' {
				out = append(out, I64)
			} else {
				out = append(out, I32)
			}
		}
		return out
	}
	var out []HostFunc
	for _, l := range lines {
		f := strings.Fields(l)
		out = append(out, HostFunc{module, f[0], FuncType{Params: list(f[1]), Results: list(f[2])}})
	}
	return out
}

// GloveboxFuncs lists the host functions of ABI version 1.
func GloveboxFuncs() []HostFunc {
	return hostFuncs(ModuleGlovebox, []string{
		"request_len - i",
		"request_read i -",
		"input_len - I",
		"input_read Iii i",
		"emit iii i",
		"log iii -",
	})
}

// WASIFuncs lists the names of WASI preview 1 that a guest may import: what Go's wasip1 port and wasi-libc link in on their
// own account, whether or not a decoder uses it. Not here: sockets that send or receive, signals.
func WASIFuncs() []HostFunc {
	return hostFuncs(ModuleWASI, []string{
		"args_get ii i",
		"args_sizes_get ii i",
		"clock_res_get ii i",
		"clock_time_get iIi i",
		"environ_get ii i",
		"environ_sizes_get ii i",
		"fd_advise iIIi i",
		"fd_allocate iII i",
		"fd_close i i",
		"fd_datasync i i",
		"fd_fdstat_get ii i",
		"fd_fdstat_set_flags ii i",
		"fd_fdstat_set_rights iII i",
		"fd_filestat_get ii i",
		"fd_filestat_set_size iI i",
		"fd_filestat_set_times iIIi i",
		"fd_pread iiiIi i",
		"fd_prestat_dir_name iii i",
		"fd_prestat_get ii i",
		"fd_pwrite iiiIi i",
		"fd_read iiii i",
		"fd_readdir iiiIi i",
		"fd_renumber ii i",
		"fd_seek iIii i",
		"fd_sync i i",
		"fd_tell ii i",
		"fd_write iiii i",
		"path_create_directory iii i",
		"path_filestat_get iiiii i",
		"path_filestat_set_times iiiiIIi i",
		"path_link iiiiiii i",
		"path_open iiiiiIIii i",
		"path_readlink iiiiii i",
		"path_remove_directory iii i",
		"path_rename iiiiii i",
		"path_symlink iiiii i",
		"path_unlink_file iii i",
		"poll_oneoff iiii i",
		"proc_exit i -",
		"random_get ii i",
		"sched_yield - i",
		"sock_accept iii i",
		"sock_shutdown ii i",
	})
}

// guestExports is what ABI version 1 asks a guest to export; _initialize may be missing.
var guestExports = []struct {
	name     string
	typ      FuncType
	optional bool
}{
	{name: "glovebox_abi", typ: FuncType{Results: []ValType{I32}}},
	{name: "glovebox_describe", typ: FuncType{Results: []ValType{I32}}},
	{name: "glovebox_decode", typ: FuncType{Results: []ValType{I32}}},
	{name: "_initialize", optional: true},
}
