// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import Foundation
import Security

/// Whether this program is entitled to an app group.
///
/// `containerURL(forSecurityApplicationGroupIdentifier:)` returns a URL for any group on macOS, so this function reads
/// the signature.
func isEntitled(toAppGroup group: String) -> Bool {
    guard let task = SecTaskCreateFromSelf(nil) else { return false }
    let groups = SecTaskCopyValueForEntitlement(task, "com.apple.security.application-groups" as CFString, nil)
    return (groups as? [String])?.contains(group) ?? false
}
#endif
