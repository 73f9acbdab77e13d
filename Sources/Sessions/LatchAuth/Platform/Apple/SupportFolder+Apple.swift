// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(tvOS)
import Foundation

/// The folder of files that the program needs but the user does not see.
var supportFolder: URL { .applicationSupportDirectory }
#endif
