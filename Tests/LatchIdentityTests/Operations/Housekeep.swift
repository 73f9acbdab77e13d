// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityTestSupport
import LatchTesting

@testable import LatchIdentity

extension Site {
    /// Returns once the store was pruned at the present time: by this call, or by the server's own task, which wakes when a
    /// test advances the clock.
    func housekeep() async throws {
        let house = Housekeeping(identity.services)
        // While another task prunes, its lease ends soon. Afterwards it lasts for the rest of the hour.
        while try await !house.prune(),
            try await identity.services.store.isFree(.pruning, at: clock.now.addingTimeInterval(Housekeeping.lease + 1))
        {
            await Task.yield()
        }
    }
}
