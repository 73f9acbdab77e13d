// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import LatchUI
public import SwiftUI

/// A list of scopes by category, which can be collapsed to their number.
public struct ScopeSelectionView: View {
    @Binding private var selection: ScopeSelection
    @Environment(\.authTexts) private var texts

    /// Creates a list.
    public init(selection: Binding<ScopeSelection>) { _selection = selection }

    /// The button that expands the list, and the scopes by category.
    public var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Button(action: { selection.isExpanded.toggle() }) {
                HStack {
                    Text(texts(Phrase("scopes.title")))
                    Spacer()
                    Text(texts(selection.summaryPhrase))
                        .foregroundColor(.secondary)
                    Image(systemName: selection.isExpanded ? "chevron.up" : "chevron.down")
                        .accessibilityHidden(true)
                }
            }
            .buttonStyle(.plain)
            if selection.isExpanded {
                ForEach(selection.groups) { group in
                    Text(texts(OAuthScope.phrase(ofCategory: group.category)))
                        .font(.headline)
                        .accessibilityAddTraits(.isHeader)
                    ForEach(group.scopes) { AuthToggle(control($0), sender: sender) }
                }
            }
        }
    }

    private func control(_ scope: OAuthScope) -> Control {
        .toggle(
            .scope(scope.rawValue), scope.namePhrase, isOn: selection.contains(scope), detail: scope.descriptionPhrase)
    }

    private var sender: ControlSender {
        let selection = $selection
        return ControlSender(
            text: { _ in "" },
            send: { input in
                guard case .set(let id, let isOn) = input, let scope = id.item.flatMap(OAuthScope.init) else { return }
                selection.wrappedValue[isSelected: scope] = isOn
            })
    }
}
#endif
