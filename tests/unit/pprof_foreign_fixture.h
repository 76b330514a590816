/* SPDX-License-Identifier: GPL-2.0-only */
/* A pprof file like that of another program, which tests can change. Include it after pprof_fixture.h. */
#ifndef TPROF_PPROF_FOREIGN_FIXTURE_H
#define TPROF_PPROF_FOREIGN_FIXTURE_H

#include "format/pprof.pb-c.h"

/* The file has sparse IDs, inlined functions, locations without functions, and several value types. */
static const char *const foreign_strings[] = {
	"", "inuse_objects", "count", "inuse_space", "bytes", "space", "/bin/other", "f00d", "outer", "inner", "in.c",
	"nothing", "1", "pid", "samples", "cycles_sample", "cycles_event",
};

enum { OBJECTS = 1, COUNT, SPACE, BYTES, PERIOD, FILE_NAME, BUILD_ID, OUTER, INNER, SOURCE, NOTHING, ONE, PID,
       SAMPLES, CYCLES_SAMPLE, CYCLES_EVENT };

struct foreign {
	Pprof__Profile profile;
	Pprof__ValueType types[4], *type_at[4], period;
	Pprof__Sample samples[3], *sample_at[3];
	Pprof__Mapping mapping, *mapping_at[1];
	Pprof__Location locations[3], *location_at[3];
	Pprof__Line lines[2], *line_at[2];
	Pprof__Function functions[2], *function_at[2];
	Pprof__Label label, *label_at[1];
	ProtobufCBinaryData strings[sizeof(foreign_strings) / sizeof(foreign_strings[0])];
	uint64_t ids[3];
	int64_t values[3][4];
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static inline void foreign_samples(struct foreign *file)
{
	static const int64_t values[3][4] = { { 90, 900, 3, 30 }, { 0, 0, 0, 0 }, { 1, 10, 2, 70 } };

	memcpy(file->values, values, sizeof(values));
	file->ids[0] = 1000000;
	file->ids[1] = 5;
	file->ids[2] = UINT64_MAX;
	for (size_t i = 0; i < LEN(file->samples); i++) {
		pprof__sample__init(&file->samples[i]);
		file->samples[i].n_value = 4;
		file->samples[i].value = file->values[i];
		file->sample_at[i] = &file->samples[i];
	}
	file->samples[0].n_location = 3;
	file->samples[0].location = file->ids;
	pprof__label__init(&file->label);
	file->label.key = PID;
	file->label.number = 4711;
	file->label_at[0] = &file->label;
	file->samples[0].n_label = 1;
	file->samples[0].label = file->label_at;
}

static inline void foreign_code(struct foreign *file)
{
	for (size_t i = 0; i < LEN(file->locations); i++) {
		pprof__location__init(&file->locations[i]);
		file->locations[i].id = file->ids[i];
		file->locations[i].mapping = 9;
		file->locations[i].address = 0x401000 + i;
		file->location_at[i] = &file->locations[i];
	}
	file->locations[2].mapping = 0;
	file->locations[2].address = UINT64_MAX - 5;
	for (size_t i = 0; i < LEN(file->lines); i++) {
		pprof__line__init(&file->lines[i]);
		pprof__function__init(&file->functions[i]);
		file->functions[i].id = file->lines[i].function = 40 - i;
		file->functions[i].name = i ? OUTER : INNER;
		file->functions[i].file = SOURCE;
		file->line_at[i] = &file->lines[i];
		file->function_at[i] = &file->functions[i];
	}
	file->locations[0].n_line = 2;
	file->locations[0].line = file->line_at;
	pprof__mapping__init(&file->mapping);
	file->mapping.id = 9;
	file->mapping.start = 0x400000;
	file->mapping.limit = 0x500000;
	file->mapping.offset = 0x2000;
	file->mapping.file = FILE_NAME;
	file->mapping.build_id = BUILD_ID;
	file->mapping_at[0] = &file->mapping;
}

static inline void foreign_init(struct foreign *file)
{
	static const int64_t types[4][2] = {
		{ NOTHING, COUNT }, { NOTHING, BYTES }, { OBJECTS, COUNT }, { SPACE, BYTES },
	};

	memset(file, 0, sizeof(*file));
	pprof__profile__init(&file->profile);
	foreign_samples(file);
	foreign_code(file);
	for (size_t i = 0; i < LEN(types); i++) {
		pprof__value_type__init(&file->types[i]);
		file->types[i].name = types[i][0];
		file->types[i].unit = types[i][1];
		file->type_at[i] = &file->types[i];
	}
	for (size_t i = 0; i < LEN(foreign_strings); i++)
		file->strings[i] = (ProtobufCBinaryData){ strlen(foreign_strings[i]), (uint8_t *)foreign_strings[i] };
	pprof__value_type__init(&file->period);
	file->period.name = PERIOD;
	file->period.unit = BYTES;
	file->profile.n_sample_type = LEN(types);
	file->profile.sample_type = file->type_at;
	file->profile.n_sample = LEN(file->samples);
	file->profile.sample = file->sample_at;
	file->profile.n_mapping = 1;
	file->profile.mapping = file->mapping_at;
	file->profile.n_location = LEN(file->locations);
	file->profile.location = file->location_at;
	file->profile.n_function = LEN(file->functions);
	file->profile.function = file->function_at;
	file->profile.n_string = LEN(foreign_strings);
	file->profile.string = file->strings;
	file->profile.period_type = &file->period;
	file->profile.period = 524288;
	file->profile.duration_ns = 5;
}

static inline int foreign_fd(const struct foreign *file)
{
	size_t size = pprof__profile__get_packed_size(&file->profile);
	uint8_t *bytes = malloc(size);
	int fd;

	pprof__profile__pack(&file->profile, bytes);
	fd = packed(bytes, size);
	free(bytes);
	return fd;
}

#endif
