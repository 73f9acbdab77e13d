// SPDX-License-Identifier: Apache-2.0

import LatchTexts

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
