// SPDX-License-Identifier: Apache-2.0

import LatchIdentity

extension Settings {
    /// The part of the settings that is the auth server's.
    ///
    /// What nobody gave is left out, so that the server's own defaults hold and are written down in one place.
    func identityConfiguration() throws(IdentityError) -> IdentityConfiguration {
        let keys = Set(IdentitySetting.all.map(\.key))
        let given = all.filter { keys.contains($0.setting.key) && $0.source != .standard }
        return try IdentityConfiguration(
            values: Dictionary(uniqueKeysWithValues: given.map { ($0.setting.key, $0.text) }))
    }
}
