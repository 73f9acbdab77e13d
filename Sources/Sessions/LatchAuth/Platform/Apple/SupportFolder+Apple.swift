// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(tvOS)
import Foundation

/// The folder of the files that the program needs and the user does not see.
var supportFolder: URL { .applicationSupportDirectory }
#endif
