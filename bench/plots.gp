# gnuplot -c plots.gp RESULTS PLOT SVG: time per entity over the number of entities.
rows(scene, metric) = sprintf("< awk -F, '$1 == \"%s\" && $4 == \"%s\" { print $2, $6 }' %s", \
                              scene, metric, ARG1)

set terminal svg size 800,480 font "sans-serif,14" background "white"
set output ARG3
set logscale xy
set format x "%.0s%c"
set xrange [8000:5000000]
set xlabel "entities"
set ylabel "ns an entity (median)"
set key outside right
set grid
set style data linespoints
set linetype 5 linecolor "#806000"

metric = "memcpy"
if (ARG2 eq "save") {
    scenes = "save save_shuffled save_named save_named_shuffled save_digest hash"
    beside = "save"
}
if (ARG2 eq "load") {
    scenes = "load_warm load_warm_shuffled load_warm_named load_new load_cold load_cold_shuffled"
    beside = "load_warm"
}
if (ARG2 eq "spawn") {
    scenes = "spawn_one_warm spawn_one_cold spawn_set_warm spawn_many_warm spawn_many_cold"
    beside = ""
}
if (ARG2 eq "iterate") {
    scenes = "iterate_warm iterate_cold"
    beside = "iterate_warm"
    metric = "plain"
}

if (beside eq "") {
    plot for [scene in scenes] rows(scene, "time") title scene noenhanced
} else {
    plot for [scene in scenes] rows(scene, "time") title scene noenhanced, \
         rows(beside, metric) title (metric eq "plain" ? "plain arrays" : metric) dashtype 2
}
