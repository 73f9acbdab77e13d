// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(watchOS)
import SwiftUI

/// Nothing: these systems have no pasteboard.
struct CopyButton: View {
    let control: Control

    var body: some View { EmptyView() }
}
#endif
