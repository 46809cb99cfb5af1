package binary

import "fmt"

// A RuleError says which rule of admission a module breaks.
//
// Rule is a short, stable name ("section-count", "locals", "index"): programs and tests act on it. Detail is for people and
// never holds bytes of the module other than numbers and quoted, shortened names. Offset counts bytes from the start of the
// module, or is -1 where the rule is about the module as a whole.
type RuleError struct {
	Rule   string
	Detail string
	Offset int64
}

// Error formats the refusal for a log.
func (e *RuleError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("wasm module refused: %s: %s", e.Rule, e.Detail)
	}
	return fmt.Sprintf("wasm module refused: %s at %#x: %s", e.Rule, e.Offset, e.Detail)
}

// The rules, by the name that RuleError.Rule carries. The list is open: later versions may refuse more.
const (
	RuleHeader       = "header"           // magic number or version
	RuleModuleSize   = "module-size"      // the module as a whole is too large
	RuleTruncated    = "truncated"        // the bytes end before the structure does
	RuleLEB          = "leb-overlong"     // an integer longer than its type allows, or out of its range
	RuleSectionID    = "section-id"       // a section that WebAssembly 2.0 does not have
	RuleSectionOrder = "section-order"    // sections out of order or twice
	RuleSectionSize  = "section-size"     // a section's size and its content disagree
	RuleSectionCount = "section-count"    // a declared count exceeds the bytes that are left, or its limit
	RuleName         = "name"             // a name that is too long or not UTF-8
	RuleType         = "type"             // a malformed type
	RuleTypeArity    = "type-arity"       // too many parameters or results
	RuleFeature      = "feature"          // a proposal outside the allow-list
	RuleOpcode       = "opcode"           // an instruction that does not exist
	RuleConstExpr    = "const-expr"       // an initializer that is not one constant
	RuleImport       = "import"           // an import that the host does not offer
	RuleReservedName = "reserved-name"    // a name that begins with "glovebox:"
	RuleExportName   = "export-name"      // the same export name twice
	RuleExportABI    = "export-abi"       // an export that the guest ABI asks for is missing or has another type
	RuleMemory       = "memory"           // not exactly one own memory, or its limits are wrong
	RuleMemoryMin    = "memory-min"       // the memory's minimum exceeds the cap
	RuleTable        = "table"            // a table's limits are wrong
	RuleTableMin     = "table-min"        // the tables' minima together exceed the cap
	RuleIndex        = "index"            // an index of anything is out of range
	RuleLabel        = "label"            // a branch leaves more blocks than there are
	RuleNesting      = "nesting"          // blocks nested too deep
	RuleBlocks       = "blocks"           // too many blocks in one function
	RuleBranches     = "branch-targets"   // too many branch targets in one function
	RuleControl      = "control"          // end, else and blocks do not match
	RuleBodySize     = "body-size"        // a function body is too long
	RuleCodeSize     = "code-size"        // the code section is too long
	RuleDataSize     = "data-size"        // the data segments together are too long
	RuleCustom       = "custom-sections"  // too many custom sections
	RuleFuncNames    = "names"            // the name section has too many names, or too long ones
	RuleOutputSize   = "output-size"      // the rewritten code is too long
	RuleLocals       = "locals"           // too many locals in one function
	RuleAlign        = "align"            // alignment above the natural one
	RuleLane         = "lane"             // a SIMD lane out of range
	RuleDataCount    = "data-count"       // data count section missing where needed, or another number than segments
	RuleDataBounds   = "data-bounds"      // an active data segment outside of the minimum memory
	RuleElemBounds   = "elem-bounds"      // an active element segment outside of the minimum table
	RuleElemType     = "elem-type"        // element segment and table disagree
	RuleStart        = "start"            // the start function takes or gives values
	RuleOptions      = "options"          // the caller's own options contradict each other
	RuleState        = "state"            // ReadState: the state section is missing or damaged
	RuleFuncCount    = "func-code-counts" // function and code sections disagree
)
