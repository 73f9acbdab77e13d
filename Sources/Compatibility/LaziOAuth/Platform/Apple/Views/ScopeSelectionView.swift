// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A list of scopes by category, which can be collapsed to their number.
public struct ScopeSelectionView: View {
    @Binding private var selection: ScopeSelection

    /// Creates a list.
    public init(selection: Binding<ScopeSelection>) { _selection = selection }

    /// The view.
    public var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Button(action: { selection.isExpanded.toggle() }) {
                HStack {
                    Text("Permissions")
                    Spacer()
                    Text(selection.summary)
                        .foregroundColor(.secondary)
                    Image(systemName: selection.isExpanded ? "chevron.up" : "chevron.down")
                }
            }
            .buttonStyle(.plain)
            if selection.isExpanded {
                ForEach(selection.groups) { group in
                    Text(group.category)
                        .font(.headline)
                    ForEach(group.scopes) { scope in
                        Toggle(isOn: $selection[isSelected: scope]) {
                            VStack(alignment: .leading) {
                                Text(scope.displayName)
                                Text(scope.description)
                                    .font(.caption)
                                    .foregroundColor(.secondary)
                            }
                        }
                    }
                }
            }
        }
    }
}
#endif
