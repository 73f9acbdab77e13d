// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The scopes of an app by category, of which the user selects those to request.
public struct ScopeSelectionForm<Option: SelectableScope>: View {
    private let model: ScopeSelectionModel<Option>

    /// Creates the view of a model.
    public init(_ model: ScopeSelectionModel<Option>) { self.model = model }

    /// The view.
    public var body: some View { ScreenForm(model) }
}
#endif
