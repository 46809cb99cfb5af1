package binary_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// TestBadModules: each is refused by its own rule, and where that is a number, the same module is taken when it is raised.
func TestBadModules(t *testing.T) {
	if _, err := binary.Rewrite(Shell(), nil); err != nil {
		t.Fatalf("the shell itself: %v", err)
	}
	bad := BadModules()
	if len(bad) < 200 {
		t.Fatalf("only %d bad modules", len(bad))
	}
	names := map[string]bool{}
	for _, c := range bad {
		if names[c.Name] {
			t.Errorf("%q is there twice", c.Name)
		}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			wasm := c.Wasm()
			if _, err := binary.Rewrite(wasm, c.Opts); binary.RuleOf(err) != c.Rule {
				t.Errorf("%v, want rule %q", err, c.Rule)
			}
			if c.Opts == nil {
				if _, err := binary.Admit(wasm, nil); binary.RuleOf(err) != c.Rule {
					t.Errorf("Admit: %v, want rule %q", err, c.Rule)
				}
			}
			if c.Raised != nil {
				if _, err := binary.Rewrite(wasm, c.Raised); err != nil {
					t.Errorf("with the limit raised: %v", err)
				}
			}
		})
	}
	t.Logf("%d bad modules", len(bad))
}

// TestEveryRuleIsBroken: no rule, and no number, is without a bad module. Two rules are not about modules.
func TestEveryRuleIsBroken(t *testing.T) {
	broken, raised := map[string]int{}, map[string]int{}
	for _, c := range BadModules() {
		broken[c.Rule]++
		if c.Raised == nil || c.Raised.Admit == nil || c.Raised.Admit.Limits == nil {
			continue
		}
		l := reflect.ValueOf(*c.Raised.Admit.Limits)
		for i := range l.NumField() {
			if !l.Field(i).IsZero() {
				raised[l.Type().Field(i).Name]++
			}
		}
	}
	rules := rulesOf(t)
	for name, rule := range rules {
		if name != "RuleOptions" && name != "RuleState" && broken[rule] == 0 {
			t.Errorf("nothing breaks %s", name)
		}
	}
	l := reflect.TypeFor[binary.Limits]()
	for i := range l.NumField() {
		if raised[l.Field(i).Name] == 0 {
			t.Errorf("nothing is over %s", l.Field(i).Name)
		}
	}
	if len(rules) < 40 || l.NumField() < 20 {
		t.Errorf("%d rules, %d numbers: this test does not see them", len(rules), l.NumField())
	}
}

// rulesOf reads the names and values of all rules from the source.
func rulesOf(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				if slices.Contains(valuesOf(out), s) {
					t.Errorf("two rules are called %q", s)
				}
				out[spec.Names[0].Name] = s
			}
		}
		return true
	})
	return out
}

func valuesOf(m map[string]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// TestLimitsAreExact: the values that admit the bad modules are the least that do, so each limit counts what it says.
func TestLimitsAreExact(t *testing.T) {
	for _, c := range BadModules() {
		if c.Raised == nil || c.Raised.Admit == nil || c.Raised.Admit.Limits == nil {
			continue
		}
		l := *c.Raised.Admit.Limits
		v := reflect.ValueOf(&l).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				least := f.Int()
				if defaults := reflect.ValueOf(binary.DefaultLimits).Field(i).Int(); least <= defaults {
					t.Errorf("%s: raised to %d, the default is %d", c.Name, least, defaults)
				}
				f.SetInt(least - 1)
				if _, err := binary.Parse(c.Wasm(), &l); binary.RuleOf(err) != c.Rule {
					t.Errorf("%s: with a limit of %d: %v, want rule %q", c.Name, least-1, err, c.Rule)
				}
			}
		}
	}
}
