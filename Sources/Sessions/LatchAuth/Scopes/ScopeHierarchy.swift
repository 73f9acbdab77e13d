// SPDX-License-Identifier: Apache-2.0

/// Which scopes imply which: of one resource, a higher level implies the lower ones.
public struct ScopeHierarchy: Sendable, Hashable {
    /// The levels, the lowest first.
    public let levels: [String]

    /// `admin` implies `delete`, which implies `write`, which implies `read`.
    public static let levels = ScopeHierarchy(levels: ["read", "write", "delete", "admin"])

    /// Nothing implies anything.
    public static let flat = ScopeHierarchy(levels: [])

    /// A hierarchy of these levels, the lowest first.
    public init(levels: [String]) { self.levels = levels }

    /// Whether who was granted `granted` may do what `wanted` asks for.
    public func implies(_ granted: Scope, _ wanted: Scope) -> Bool {
        if granted == wanted { return true }
        guard let have = granted.parts, let want = wanted.parts, have.resource == want.resource,
            let height = levels.firstIndex(of: String(have.level)),
            let needed = levels.firstIndex(of: String(want.level))
        else { return false }
        return height >= needed
    }
}
