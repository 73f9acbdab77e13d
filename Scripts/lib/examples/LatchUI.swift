// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import LatchUI

let url: URL = placeholder()
let store: any TokenStore<Tokens> = placeholder()

@MainActor var configuration: AuthModel.Configuration = placeholder()
let form: FormScreen = placeholder()

func choosePlan(_ name: String) async throws {}
func register(_ entries: FormScreen.Entries) async throws {}
@MainActor func showHelp() {}
