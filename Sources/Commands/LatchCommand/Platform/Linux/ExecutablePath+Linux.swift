// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The path of the running executable (proc(5)), which stays correct when the file is moved or replaced.
package let executablePath = "/proc/self/exe"
#endif
