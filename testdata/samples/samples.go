// Package samples makes the files that the demo and the tests of the program read: a PDF, a photo with EXIF data, an animation, texts in
// old encodings. They are made and not kept, so that what is in them can be read here and nobody's file lies in the repository.
package samples

import "fmt"

// File is one sample.
type File struct {
	Name  string
	About string // what it is, for people
	Bytes []byte
}

// Demo returns the three files of make demo.
func Demo() ([]File, error) {
	photo, err := Photo(1200, 900)
	if err != nil {
		return nil, fmt.Errorf("photo: %w", err)
	}
	text, err := GB18030(chinese)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return []File{
		{"report.pdf", "a PDF of three pages", PDF(Report())},
		{"photo.jpg", "a photo taken with the camera on its side, with EXIF and GPS data in it", photo},
		{"notes-gb18030.txt", "a Chinese text in the encoding GB18030", text},
	}, nil
}

const chinese = `手套箱的使用说明

手套箱是一个密封的箱子，墙上装有手套。操作者可以处理箱内的物品，
而箱内的任何东西都接触不到操作者。

一、检查手套是否完好。
二、打开电源，等待气压稳定。
三、只有在气压稳定以后，才可以开始工作。
四、工作结束后，先取出样品，再关闭电源。

注意：来历不明的文件，应当只在密封的环境中读取。
`

// Report returns the pages of the demo's PDF.
func Report() [][]string {
	return [][]string{
		{"Quarterly report", "", "The third quarter closed with 1204 shipments, 8 percent more than the", "second. Two of the four lines were rebuilt while they ran."},
		{"Figures", "", "Line A    412 shipments    3 returned", "Line B    398 shipments    1 returned", "Line C    257 shipments    0 returned", "Line D    137 shipments    0 returned"},
		{"Outlook", "", "Line D reaches its full speed in November. Nothing else is planned", "before the end of the year."},
	}
}
