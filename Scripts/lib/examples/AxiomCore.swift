// SPDX-License-Identifier: Apache-2.0

let client: TaskManagerClient = placeholder()
let request: CreateTaskRequest = placeholder()
