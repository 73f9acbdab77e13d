// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation

extension FileCoordination {
    /// Creates a coordination among the programs and extensions of an app group.
    ///
    /// The system ends a program that is suspended while it holds a lock in a shared container. Call
    /// ``Session/prepareToSuspend(within:)`` before the suspension, in `ProcessInfo.performExpiringActivity` or in a
    /// background task. Call ``Session/resume()`` afterwards.
    ///
    /// - Returns: The coordination; nil if the program is not entitled to the group.
    public convenience init?(appGroup: String, account: String) {
        guard isEntitled(toAppGroup: appGroup),
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)
        else { return nil }
        self.init(path: "\(folder.path)/latchwork/\(fileName(for: account))")
    }
}
#endif
