package content

// Budgets of one page: an absurd page costs only itself. Each is far above what real files were seen to need.
const (
	maxPageOps    = 4_000_000 // operators
	MaxPageGlyphs = 1_000_000
	maxPageText   = 16 << 20 // UTF-8
	MaxPageBytes  = 32 << 20 // decoded content
	maxPageForms  = 5_000    // form XObjects drawn
	MaxFormDepth  = 16
	maxStateDepth = 512 // q inside q
)
