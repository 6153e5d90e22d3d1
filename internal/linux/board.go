package linux

import "strings"

// Board returns the name of the machine's board, "" if nothing states one: the model of the device
// tree (devicetree specification 0.4, section 2.3.2), else maker and product of the firmware's DMI
// table.
func (s Sysfs) Board() string {
	if model, err := readAttribute(string(s), "firmware/devicetree/base/model"); err == nil {
		return strings.TrimRight(model, "\x00\n") // properties of the device tree end in a zero byte
	}
	maker, _ := readAttribute(string(s), "class/dmi/id/sys_vendor")
	product, _ := readAttribute(string(s), "class/dmi/id/product_name")
	return strings.TrimSpace(maker + " " + product)
}
