package sqliteindex

// SetDriver has databases opened by another driver of database/sql until the function that it returns is called.
func SetDriver(name string) (back func()) {
	was := driverName
	driverName = name
	return func() { driverName = was }
}
