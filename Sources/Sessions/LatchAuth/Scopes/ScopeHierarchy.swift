// SPDX-License-Identifier: Apache-2.0

/// The implications among scopes: a higher level of a resource implies its lower levels.
public struct ScopeHierarchy: Sendable, Hashable {
    /// The levels, from low to high.
    package let levels: [String]

    /// A hierarchy in which `admin` implies `delete`, which implies `write`, which implies `read`.
    public static let levels = ScopeHierarchy(levels: ["read", "write", "delete", "admin"])

    /// Creates a hierarchy of levels, from low to high.
    public init(levels: [String]) { self.levels = levels }

    /// Whether the granted scope includes the wanted one.
    package func implies(_ granted: Scope, _ wanted: Scope) -> Bool {
        if granted == wanted { return true }
        guard let have = granted.parts, let want = wanted.parts, have.resource == want.resource,
            let height = levels.firstIndex(of: String(have.level)),
            let needed = levels.firstIndex(of: String(want.level))
        else { return false }
        return height >= needed
    }
}
