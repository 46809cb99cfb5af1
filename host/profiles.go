package host

import (
	"cmp"

	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// profiles are those that a read may name, and the one of a read that names none.
type profiles struct {
	set   *profile.Set
	usual string
}

func newProfiles(more []readapi.Profile, usual string) (profiles, error) {
	set, err := profile.NewSet(more)
	if err == nil && usual != "" {
		_, err = set.Find(usual)
	}
	return profiles{set, usual}, err
}

// apply has the decoder make pictures as the profile of sel wants them. A longer side that the caller set himself takes the place of the one
// that is best, but what the provider refuses stays out of reach.
func (p profiles) apply(req *readapi.Request, sel readapi.Selection, lim readapi.Limits) error {
	req.Original = sel.Original
	req.MaxEdge = cmp.Or(lim.MaxEdge, readapi.DefaultLimits().MaxEdge)
	name := cmp.Or(sel.Profile, p.usual)
	if name == "" {
		return nil
	}
	found, err := p.set.Find(name)
	if err != nil {
		return err
	}
	req.MaxEdge = cmp.Or(lim.MaxEdge, found.MaxEdge, readapi.DefaultLimits().MaxEdge)
	if found.MaxSide > 0 {
		req.MaxEdge = min(req.MaxEdge, found.MaxSide)
	}
	req.FitPixels, req.MaxImageBytes, req.ImageTypes, req.ImageCost = found.MaxPixels, found.MaxBytes, profile.OutputTypes(found), found.Cost
	return nil
}

// forPictures is req with what from says of pictures: those inside a file leave as those of the file itself would.
func forPictures(req, from readapi.Request) readapi.Request {
	req.MaxPixels, req.MaxSide, req.MaxFrames, req.MaxTotalPixels, req.MaxEdge = from.MaxPixels, from.MaxSide, from.MaxFrames, from.MaxTotalPixels, from.MaxEdge
	req.FitPixels, req.MaxImageBytes, req.ImageTypes, req.ImageCost, req.Original = from.FitPixels, from.MaxImageBytes, from.ImageTypes, from.ImageCost, from.Original
	return req
}
