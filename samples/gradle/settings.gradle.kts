rootProject.name = "hearth-sample"
