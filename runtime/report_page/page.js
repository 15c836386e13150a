// Draws the charts of the page from the data beside them, in the colours of
// the page's theme and as wide as their place.
"use strict";
(function () {
  const root = document.documentElement;
  const plots = [];

  function color(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  // 1200000 -> "1.2M"; what a narrow axis has room for.
  function short(value) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
    for (const [unit, letter] of units)
      if (size >= unit) return Number((value / unit).toPrecision(4)) + letter;
    return String(Number(value.toPrecision(4)));
  }

  function axis(label, size) {
    return {
      label: label,
      labelSize: 18,
      labelFont: "12px system-ui",
      font: "12px system-ui",
      size: size,
      stroke: color("--dim"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { stroke: color("--line"), width: 1 },
      values: (plot, splits) => splits.map(short),
    };
  }

  function series(each) {
    const stroke = color("--c" + (each.color % 6));
    return {
      label: each.label,
      stroke: stroke,
      width: 1.5,
      dash: each.dashed ? [6, 4] : undefined,
      spanGaps: each.spans,
      points: { show: each.points, size: 6, stroke: stroke, fill: stroke },
      value: (plot, value) => (value === null ? "" : short(value)),
    };
  }

  function draw(place, chart) {
    const options = {
      width: Math.max(200, place.clientWidth),
      height: 240,
      scales: { x: { time: false }, y: { distr: chart.log ? 3 : 1 } },
      axes: [axis("step", 30), axis(chart.unit, 56)],
      series: [{ label: "step" }].concat(chart.series.map(series)),
      bands: chart.bands.map((band) => ({
        series: [band[0] + 1, band[1] + 1],
        fill: color("--band"),
      })),
    };
    return new uPlot(options, chart.data, place);
  }

  function drawAll() {
    while (plots.length > 0) plots.pop().plot.destroy();
    for (const figure of document.querySelectorAll("figure.chart")) {
      const place = figure.querySelector(".plot");
      const chart = JSON.parse(figure.querySelector("script").textContent);
      plots.push({ place: place, plot: draw(place, chart) });
    }
  }

  function resize() {
    for (const { place, plot } of plots)
      plot.setSize({ width: Math.max(200, place.clientWidth), height: 240 });
  }

  root.classList.add("js");
  try {
    drawAll();
  } catch (error) {
    // The tables are there for this.
    root.classList.remove("js");
    throw error;
  }
  window.addEventListener("resize", resize);
  window.matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", drawAll);
  document.getElementById("tables").addEventListener("click", function () {
    root.classList.toggle("tables");
  });
})();
