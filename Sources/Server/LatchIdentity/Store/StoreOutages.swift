// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The watch over the connections of this process to the databases of its stores.
package enum StoreOutages {
    /// A function that is called with the error when a database is lost, and with nil when it is back.
    package typealias Report = @Sendable (IdentityError?) -> Void

    private static let watch = Mutex<Report?>(nil)

    /// Reports losses and returns from now on.
    ///
    /// - Parameter report: A function that must not block, which the store's threads call; nil ends the watch.
    package static func report(by report: Report?) { watch.withLock { $0 = report } }

    static func changed(_ failure: IdentityError?) { watch.withLock { $0 }?(failure) }
}
