package main

// publish makes the metrics available where the configuration says.
func (d *daemon) publish(cfg *Config) {
	d.file.SetPath(cfg.MetricsTextfile)
	var addresses []string
	for _, a := range cfg.MetricsListen {
		addresses = append(addresses, a.String())
	}
	if err := d.web.SetListeners(addresses, cfg.WebConfig); err != nil {
		d.log.Error("metrics addresses refused", "reason", err.Error())
	}
}

// vet refuses a valid configuration that names files which cannot do their work.
func vet(cfg *Config) error {
	if err := vetDevice(cfg); err != nil {
		return err
	}
	if err := vetLine(cfg); err != nil {
		return err
	}
	return vetWebConfig(cfg)
}
