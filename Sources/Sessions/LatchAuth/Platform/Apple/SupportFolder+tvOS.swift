// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import Foundation

/// The folder of caches, the only one in which apps on Apple TV can write.
///
/// The system may empty it while the app does not run. It holds locks and notifications alone, which are made again.
var supportFolder: URL { .cachesDirectory }
#endif
