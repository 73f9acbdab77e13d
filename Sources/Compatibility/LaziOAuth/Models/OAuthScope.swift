// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// The scopes that the app knows.
///
/// The set of scopes is the server's and is open: what an app does not know is kept as text, in `OAuthService.grantedScopes`
/// and in the core's `Scopes`.
public enum OAuthScope: String, CaseIterable, Codable, Sendable, Identifiable {
    /// See widgets.
    case widgetsRead = "widgets:read"
    /// Make and change widgets.
    case widgetsWrite = "widgets:write"
    /// Delete widgets.
    case widgetsDelete = "widgets:delete"
    /// Everything with widgets.
    case widgetsAdmin = "widgets:admin"
    /// See projects.
    case projectsRead = "projects:read"
    /// Make and change projects.
    case projectsWrite = "projects:write"
    /// Delete projects.
    case projectsDelete = "projects:delete"
    /// Everything with projects.
    case projectsAdmin = "projects:admin"
    /// See files.
    case filesRead = "files:read"
    /// Upload files.
    case filesWrite = "files:write"
    /// Delete files.
    case filesDelete = "files:delete"

    /// The scopes that an app requests unless the user chooses others.
    public static let defaults: [OAuthScope] = [
        .widgetsRead, .widgetsWrite, .projectsRead, .projectsWrite, .filesRead,
    ]

    /// The categories, in the order in which they are shown.
    public static let categories = ["Widgets", "Projects", "Files"]

    /// The scopes of a list with spaces that the app knows; each once, in the order in which they are first named.
    public static func known(in text: String) -> [OAuthScope] {
        Scopes(parsing: text).elements.compactMap { OAuthScope(rawValue: $0.rawValue) }
    }

    /// The scope as it is written.
    public var id: String { rawValue }

    /// A short name for people.
    public var displayName: String { "\(verb) \(category)" }

    /// A description of what the scope allows, for users.
    public var description: String {
        switch self {
        case .widgetsRead: "View widget configurations"
        case .widgetsWrite: "Create/modify widgets"
        case .widgetsDelete: "Delete widgets"
        case .widgetsAdmin: "Full widget admin access"
        case .projectsRead: "View projects"
        case .projectsWrite: "Create/modify projects"
        case .projectsDelete: "Delete projects"
        case .projectsAdmin: "Full project admin access"
        case .filesRead: "Access uploaded files"
        case .filesWrite: "Upload files"
        case .filesDelete: "Delete files"
        }
    }

    /// The resource: `Widgets`, `Projects` or `Files`.
    public var category: String {
        switch self {
        case .widgetsRead, .widgetsWrite, .widgetsDelete, .widgetsAdmin: "Widgets"
        case .projectsRead, .projectsWrite, .projectsDelete, .projectsAdmin: "Projects"
        case .filesRead, .filesWrite, .filesDelete: "Files"
        }
    }

    private var verb: String {
        switch self {
        case .widgetsRead, .projectsRead, .filesRead: "Read"
        case .widgetsWrite, .projectsWrite, .filesWrite: "Write"
        case .widgetsDelete, .projectsDelete, .filesDelete: "Delete"
        case .widgetsAdmin, .projectsAdmin: "Administer"
        }
    }
}

extension Scopes {
    /// The core's scopes for those of the app, in the order given.
    init(_ scopes: some Sequence<OAuthScope>) { self.init(scopes.compactMap { Scope(rawValue: $0.rawValue) }) }
}
