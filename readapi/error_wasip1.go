package readapi

// Duration stands for time.Duration, which guests are built without.
type Duration = int64

// contextCode is the code of an error that is neither an *Error nor a Code: guests have no context.
func contextCode(error) Code { return CodeInternal }
