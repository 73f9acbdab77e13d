// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// Which scopes a token gets: what is asked for, the app may have, and the account may have; never more.
struct ScopeRules: Sendable {
    /// Every scope that there is.
    let known: Scopes
    /// What a request gets that names none (RFC 6749 §3.3).
    private let standard: Scopes
    private let hierarchy = ScopeHierarchy.levels

    init(_ configuration: IdentityConfiguration) {
        known = configuration.scopes
        standard = configuration.defaultScopes
    }

    /// The scopes of a new sign-in.
    ///
    /// - Parameter asked: Nil where the request names none.
    /// - Throws: `IdentityError.invalidScope` where something is asked for and nothing of it can be granted.
    func granted(_ asked: Scopes?, to account: Account, by app: RegisteredApp) throws(IdentityError) -> Scopes {
        let granted = allowed(asked ?? standard, to: account, by: app)
        guard asked == nil || !granted.isEmpty else { throw .invalidScope }
        return granted
    }

    /// The scopes of a renewal: those of the family, or fewer where the request asks so, as far as they still may be had.
    ///
    /// - Throws: `IdentityError.invalidScope` where more is asked for than was granted (RFC 6749 §6, attack C8), or
    ///   nothing is left of it.
    func renewed(
        _ asked: Scopes?, of device: Device, to account: Account, by app: RegisteredApp
    ) throws(IdentityError) -> Scopes {
        guard let asked else { return allowed(family(device), to: account, by: app) }
        guard family(device).allow(all: asked, in: hierarchy) else { throw .invalidScope }
        let granted = allowed(asked, to: account, by: app)
        guard !granted.isEmpty else { throw .invalidScope }
        return granted
    }

    /// What of a token's scopes still counts, whatever it said when it was issued.
    func allowed(_ scopes: Scopes, to account: Account, by app: RegisteredApp) -> Scopes {
        Scopes(scopes.elements.filter { isAllowed($0, to: account, by: app) })
    }

    /// What was granted at the sign-in; a device from before there were scopes has what a request gets that names none.
    private func family(_ device: Device) -> Scopes { device.scope.map(Scopes.init(parsing:)) ?? standard }

    /// Everything but `:admin` is every account's own, since a resource shows each its own things; `:admin` needs the
    /// role `admin`, or a permission of that name.
    private func isAllowed(_ scope: Scope, to account: Account, by app: RegisteredApp) -> Bool {
        guard known.contains(scope), app.scopes?.allow(scope, in: hierarchy) ?? true else { return false }
        guard scope.level == "admin" else { return true }
        return account.roles.contains("admin") || account.permissions.contains(scope.rawValue)
    }
}
