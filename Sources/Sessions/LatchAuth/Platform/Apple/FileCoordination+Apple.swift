// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
public import Foundation

/// Returns the coordination of the user's processes over one account, by files in the program's support folder.
package func platformCoordination(service: String, account: String) -> FileCoordination {
    FileCoordination(path: "\(URL.applicationSupportDirectory.path)/latchwork/\(service).\(account)")
}

extension FileCoordination {
    /// Creates a coordination among the programs and extensions of an app group.
    ///
    /// The system ends a program that is suspended while it holds a lock in a shared container: refresh inside of
    /// `ProcessInfo.performExpiringActivity`, or in the foreground.
    ///
    /// - Returns: Nil if the program is not entitled to the group.
    public convenience init?(appGroup: String, account: String) {
        guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
            return nil
        }
        self.init(path: folder.appending(path: "latchwork/\(account)").path)
    }
}
#endif
