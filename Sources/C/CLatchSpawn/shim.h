// SPDX-License-Identifier: Apache-2.0
// Declarations of <spawn.h> and <unistd.h> for GNU programs only, which the toolchain's Glibc module leaves out. The
// actions are a `posix_spawn_file_actions_t`.
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
int pipe2(int ends[2], int flags);
