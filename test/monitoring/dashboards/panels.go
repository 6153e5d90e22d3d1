package dashboards

//lint:file-ignore SA1019 the schema before v2 is the one that every Grafana reads

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// Units of Grafana.
const (
	bits        = "bits"
	dataBytes   = "decbytes"
	bytesPerSec = "Bps"
	count       = "none"
	seconds     = "s"
	share       = "percentunit"
)

// The colours of a verdict.
const (
	good    = "green"
	neutral = "blue"
	wait    = "yellow"
	bad     = "red"
)

// query is an expression with the name of its series.
type query struct{ legend, expr string }

// of builds one query from lines that belong together. Without a legend Grafana finds one.
func of(legend string, expr ...string) query {
	return query{cmp.Or(legend, "__auto"), strings.Join(expr, "\n")}
}

// data builds what a panel asks for. Instant queries are for panels that show one moment.
func data(q query, id int, instant bool) *prometheus.DataqueryBuilder {
	b := prometheus.NewDataqueryBuilder().Datasource(source).
		RefId(string(rune('A' + id))).Expr(q.expr).LegendFormat(q.legend).EditorMode(prometheus.QueryEditorModeCode)
	if instant {
		return b.Instant()
	}
	return b.Range()
}

// steps are thresholds: a colour from minus infinity on, and others from values on.
func steps(base string, from ...dashboard.Threshold) *dashboard.ThresholdsConfigBuilder {
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).
		Steps(append([]dashboard.Threshold{{Color: base}}, from...))
}

// from is the colour of a value and of larger ones.
func from(value float64, color string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: color}
}

// words replaces values by a text and a colour.
func words(of map[string][2]string) []dashboard.ValueMapping {
	m := dashboard.NewValueMap()
	for value, w := range of {
		m.Options[value] = dashboard.ValueMappingResult{Text: &w[0], Color: &w[1]}
	}
	return []dashboard.ValueMapping{{ValueMap: m}}
}

var yesNo = words(map[string][2]string{"0": {"no", bad}, "1": {"yes", good}})

// number shows the present value of each series.
func number(width uint32, title, unit, help string, q query) *stat.PanelBuilder {
	return stat.NewPanelBuilder().Title(title).Description(help).Unit(unit).Span(width).Height(4).
		GraphMode(common.BigValueGraphModeNone).Orientation(common.VizOrientationAuto).Thresholds(steps(neutral)).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		WithTarget(data(q, 0, true))
}

// graph shows series over time.
func graph(width uint32, title, unit, help string, queries ...query) *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().Title(title).Description(help).Unit(unit).Span(width).Height(8).
		Min(0).FillOpacity(10).ShowPoints(common.VisibilityModeNever).Thresholds(steps(neutral)).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).
			Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	for i, q := range queries {
		b.WithTarget(data(q, i, false))
	}
	return b
}

// list shows the labels of series and their values as a table. The columns are labels in this order, each
// with the title that it gets; the value is the last column if it has a title.
func list(width uint32, title, help string, q query, value string, columns ...[2]string) *table.PanelBuilder {
	rename, index := map[string]any{}, map[string]any{}
	keep := []string{}
	for i, c := range columns {
		rename[c[0]], index[c[0]] = c[1], i
		keep = append(keep, c[0])
	}
	if value != "" {
		rename["Value"], index["Value"] = value, len(columns)
		keep = append(keep, "Value")
	}
	return table.NewPanelBuilder().Title(title).Description(help).Span(width).Height(8).ShowHeader(true).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).Thresholds(steps(neutral)).
		WithTarget(data(q, 0, true).Format(prometheus.PromQueryFormatTable)).
		WithTransformation(dashboard.DataTransformerConfig{
			Id: "filterFieldsByName", Options: map[string]any{"include": map[string]any{"names": keep}},
		}).
		WithTransformation(dashboard.DataTransformerConfig{
			Id: "organize", Options: map[string]any{"renameByName": rename, "indexByName": index, "excludeByName": map[string]any{}},
		})
}

// states shows which of the states of a source is in force, over time.
func states(width uint32, title, help string, q query, mapping []dashboard.ValueMapping) *statetimeline.PanelBuilder {
	return statetimeline.NewPanelBuilder().Title(title).Description(help).Span(width).Height(8).
		Mappings(mapping).MergeValues(true).ShowValue(common.VisibilityModeAuto).FillOpacity(80).
		Thresholds(steps(neutral)).WithTarget(data(q, 0, false))
}

// page assembles a dashboard. All panels ask the Prometheus that the reader chose.
type page struct {
	*dashboard.DashboardBuilder
	panels uint32
}

func newPage(uid, title, description string, variables ...cog.Builder[dashboard.VariableModel]) *page {
	b := dashboard.NewDashboardBuilder(title).Uid(uid).Description(description).Tags([]string{"hwrngd"}).
		Time("now-6h", "now").Refresh("1m").Timezone(common.TimeZoneBrowser).
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("what the alerts mean").Type(dashboard.DashboardLinkTypeLink).
			Url("https://github.com/hwrngd/hwrngd/blob/main/docs/alerts.md").TargetBlank(true)).
		Link(dashboard.NewDashboardLinkBuilder("hwrngd").Type(dashboard.DashboardLinkTypeDashboards).
			Tags([]string{"hwrngd"}).KeepTime(true)).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Prometheus").Type("prometheus"))
	for _, v := range variables {
		b.WithVariable(v)
	}
	return &page{DashboardBuilder: b}
}

var source = common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}

// choice is a variable with the values of a label of a metric.
func choice(name, label, metric, of string) *dashboard.QueryVariableBuilder {
	text := fmt.Sprintf("label_values(%s, %s)", metric, of)
	return dashboard.NewQueryVariableBuilder(name).Label(label).Datasource(source).
		Query(dashboard.StringOrMap{String: &text}).Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc)
}

// panel is what all kinds of panels have in common.
type panel[T any] interface {
	cog.Builder[dashboard.Panel]
	Datasource(common.DataSourceRef) T
	Id(uint32) T
}

// row begins a row of panels.
func (p *page) row(title string) {
	p.panels++
	p.WithRow(dashboard.NewRowBuilder(title).Id(p.panels))
}

// add puts a panel to the right of the one before, or below.
func add[T panel[T]](p *page, b T) {
	p.panels++
	p.WithPanel(b.Datasource(source).Id(p.panels))
}

// linkToBoard leads from a cell of a table to the dashboard of its board.
func linkToBoard() []cog.Builder[dashboard.DashboardLink] {
	return []cog.Builder[dashboard.DashboardLink]{
		dashboard.NewDashboardLinkBuilder("the board").
			Url(`/d/hwrngd-board?var-instance=${__data.fields["Board"]}&var-datasource=${datasource}`),
	}
}
