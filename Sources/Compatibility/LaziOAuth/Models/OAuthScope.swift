// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchTexts

/// The scopes that the app defines.
///
/// A server may have other scopes, which `OAuthService.grantedScopes` and the core's `Scopes` contain as text.
public enum OAuthScope: String, CaseIterable, Codable, Sendable, Identifiable {
    /// Access to read widgets.
    case widgetsRead = "widgets:read"
    /// Access to create and change widgets.
    case widgetsWrite = "widgets:write"
    /// Access to delete widgets.
    case widgetsDelete = "widgets:delete"
    /// Full access to widgets.
    case widgetsAdmin = "widgets:admin"
    /// Access to read projects.
    case projectsRead = "projects:read"
    /// Access to create and change projects.
    case projectsWrite = "projects:write"
    /// Access to delete projects.
    case projectsDelete = "projects:delete"
    /// Full access to projects.
    case projectsAdmin = "projects:admin"
    /// Access to read files.
    case filesRead = "files:read"
    /// Access to upload files.
    case filesWrite = "files:write"
    /// Access to delete files.
    case filesDelete = "files:delete"

    /// The scopes that an app requests unless the user chooses others.
    public static let defaults: [OAuthScope] = [
        .widgetsRead, .widgetsWrite, .projectsRead, .projectsWrite, .filesRead,
    ]

    /// The categories, in the order in which they are shown.
    public static let categories = ["Widgets", "Projects", "Files"]

    /// Returns the known scopes of a list with spaces, each once, in the order of the list.
    public static func known(in text: String) -> [OAuthScope] {
        Scopes(parsing: text).elements.compactMap { OAuthScope(rawValue: $0.rawValue) }
    }

    /// The scope in its wire spelling.
    public var id: String { rawValue }

    /// The resource: `Widgets`, `Projects` or `Files`.
    public var category: String {
        Self.categories.first { rawValue.utf8.starts(with: $0.lowercasedASCII().utf8) } ?? ""
    }
}

extension Scopes {
    /// Creates the core's scopes from those of the app, in the given order.
    init(_ scopes: some Sequence<OAuthScope>) { self.init(scopes.compactMap { Scope(rawValue: $0.rawValue) }) }
}

// The texts of the scopes: properties have the original's English texts, and phrases are in the user's language.

extension OAuthScope {
    /// A short name for users.
    public var displayName: String { Texts.english(namePhrase) }

    /// A description of what the scope allows, for users.
    public var description: String { Texts.english(descriptionPhrase) }

    var namePhrase: Phrase {
        let category = Phrase.Argument.phrase(Self.phrase(ofCategory: category))
        return switch self {
        case .widgetsRead, .projectsRead, .filesRead: Phrase("scope.name.read", category)
        case .widgetsWrite, .projectsWrite, .filesWrite: Phrase("scope.name.write", category)
        case .widgetsDelete, .projectsDelete, .filesDelete: Phrase("scope.name.delete", category)
        case .widgetsAdmin, .projectsAdmin: Phrase("scope.name.admin", category)
        }
    }

    var descriptionPhrase: Phrase {
        switch self {
        case .widgetsRead: Phrase("scope.widgets.read")
        case .widgetsWrite: Phrase("scope.widgets.write")
        case .widgetsDelete: Phrase("scope.widgets.delete")
        case .widgetsAdmin: Phrase("scope.widgets.admin")
        case .projectsRead: Phrase("scope.projects.read")
        case .projectsWrite: Phrase("scope.projects.write")
        case .projectsDelete: Phrase("scope.projects.delete")
        case .projectsAdmin: Phrase("scope.projects.admin")
        case .filesRead: Phrase("scope.files.read")
        case .filesWrite: Phrase("scope.files.write")
        case .filesDelete: Phrase("scope.files.delete")
        }
    }

    /// Returns the name of a category in the user's language.
    static func phrase(ofCategory category: String) -> Phrase {
        switch category {
        case "Widgets": Phrase("scope.category.widgets")
        case "Projects": Phrase("scope.category.projects")
        case "Files": Phrase("scope.category.files")
        default: .verbatim(category)
        }
    }
}
