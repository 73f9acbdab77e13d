// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(watchOS)
import LatchUI
import SwiftUI

/// The notes of the current account, below the button of its menu.
struct NotesView: View {
    private let model: NotesAppModel

    init(_ model: NotesAppModel) { self.model = model }

    var body: some View {
        NavigationStack {
            VStack {
                if let failure = model.failure { ControlView(.notice(.failure, failure.phrase), sender: .none) }
                if let notes = model.notes { ScreenForm(notes) }
            }
            .toolbar { UserButton(model.auth) }
        }
    }
}
#endif
