package sandbox

func BadHelper(string) int    { return 1 }
func Many(_, _, _ string) int { return 1 }
