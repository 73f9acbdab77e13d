// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import Foundation

/// The folder of caches, which is the only one that apps on Apple TV can write to.
///
/// The system may empty it while the app does not run. It holds only locks and notifications, which are created again.
var supportFolder: URL { .cachesDirectory }
#endif
