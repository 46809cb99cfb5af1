package xml

// maxEntities is how many names of entities are kept; behind that, any name may be one.
const maxEntities = 1000

// doctype reads a document type declaration from its name on (2.8).
func (s *scanner) doctype() *SyntaxError {
	if bad := s.word("DOCTYPE", "the declaration does not exist"); bad != nil {
		return bad
	}
	if !s.space() {
		return s.fail("a blank is missing")
	}
	name, _, bad := s.name()
	if bad != nil {
		return bad
	}
	s.info.Doctype = name
	s.space()
	if c := s.peek(); c == 'S' || c == 'P' {
		if bad := s.identifier(true); bad != nil {
			return bad
		}
		s.external = true
		s.space()
	}
	if s.accept('[') {
		if bad := s.subset(); bad != nil {
			return bad
		}
		s.space()
	}
	if !s.accept('>') {
		return s.fail("the document type does not end")
	}
	return nil
}

// identifier reads where something outside lies (4.2.2). A system identifier may be missing behind a public one where system is false.
func (s *scanner) identifier(system bool) *SyntaxError {
	public := s.peek() == 'P'
	w := "SYSTEM"
	if public {
		w = "PUBLIC"
	}
	if bad := s.word(w, "the declaration does not exist"); bad != nil {
		return bad
	}
	s.space()
	id, bad := s.quoted(false)
	if bad != nil {
		return bad
	}
	if public {
		s.space()
		if c := s.peek(); c == '"' || c == '\'' || system {
			if id, bad = s.quoted(false); bad != nil {
				return bad
			}
		}
	}
	s.reachesOut(id)
	return nil
}

// subset reads what is declared in the text itself, up to its bracket. Of the declarations only entities are looked at.
func (s *scanner) subset() *SyntaxError {
	for {
		s.space()
		switch c := s.peek(); {
		case s.ended():
			return s.fail("")
		case c == ']':
			s.take()
			return nil
		case c == '%': // what a parameter entity brings in may declare anything
			s.take()
			s.external = true
			if _, _, bad := s.name(); bad != nil {
				return bad
			}
			if !s.accept(';') {
				return s.fail("a reference has no semicolon")
			}
		case c == '<':
			s.take()
			if bad := s.declaration(); bad != nil {
				return bad
			}
		default:
			return s.fail("the document type has text in it")
		}
	}
}

// declaration reads one of the internal subset from what follows its "<" on.
func (s *scanner) declaration() *SyntaxError {
	if s.peek() == '?' {
		return s.instruction(false)
	}
	if !s.accept('!') {
		return s.fail("the document type has a tag in it")
	}
	if s.peek() == '-' {
		return s.comment()
	}
	kind, _, bad := s.name()
	if bad != nil {
		return bad
	}
	switch kind {
	case "ENTITY":
		if bad := s.entity(); bad != nil {
			return bad
		}
	case "ELEMENT", "ATTLIST", "NOTATION":
	default:
		return s.fail("the declaration does not exist")
	}
	for !s.ended() {
		switch c := s.peek(); {
		case c == '>':
			s.take()
			return nil
		case c == '"' || c == '\'':
			if _, bad := s.quoted(false); bad != nil {
				return bad
			}
		case c == '<':
			return s.fail("a declaration does not end")
		default:
			s.take()
		}
	}
	return s.fail("")
}

// entity reads the declaration of an entity up to its value (4.2): it is counted, and never replaced by what it stands for.
func (s *scanner) entity() *SyntaxError {
	s.space()
	parameter := s.accept('%')
	s.space()
	name, _, bad := s.name()
	if bad != nil {
		return bad
	}
	s.info.Entities++
	if !parameter && len(s.declared) < maxEntities {
		s.declared[name] = true
	} else if !parameter {
		s.external = true
	}
	s.space()
	if c := s.peek(); c == 'S' || c == 'P' {
		return s.identifier(true)
	}
	_, bad = s.quoted(false)
	return bad
}
