-- CreateTable
CREATE TABLE "Scope" (
    "key" BIGINT NOT NULL,
    "storageKey" TEXT NOT NULL,
    "revision" BIGINT NOT NULL DEFAULT 0,
    "sequence" BIGINT NOT NULL DEFAULT 0,
    "floor" BIGINT NOT NULL DEFAULT 0,
    "createdAt" BIGINT NOT NULL,

    CONSTRAINT "Scope_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "KeyBlock" (
    "name" TEXT NOT NULL,
    "next" BIGINT NOT NULL,

    CONSTRAINT "KeyBlock_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "Session" (
    "key" BIGINT NOT NULL,
    "scopeKey" BIGINT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "generationId" TEXT NOT NULL,
    "generationSequence" BIGINT NOT NULL,
    "parentKey" BIGINT,
    "rootKey" BIGINT NOT NULL,
    "depth" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "agent" TEXT,
    "parentRunId" TEXT,
    "parentToolCallId" TEXT,
    "title" TEXT,
    "titleSearch" TEXT,
    "metadata" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "writeId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "work" TEXT NOT NULL,
    "owner" TEXT,
    "nextEntry" BIGINT NOT NULL,
    "nextRun" BIGINT NOT NULL,
    "nextMessage" BIGINT NOT NULL,
    "nextLog" BIGINT NOT NULL,
    "nextPermission" BIGINT NOT NULL,
    "nextExecution" BIGINT NOT NULL,
    "inputTokens" BIGINT NOT NULL,
    "outputTokens" BIGINT NOT NULL,
    "totalTokens" BIGINT NOT NULL,
    "reasoningTokens" BIGINT NOT NULL,
    "cachedInputTokens" BIGINT NOT NULL,
    "treeInputTokens" BIGINT NOT NULL DEFAULT 0,
    "treeOutputTokens" BIGINT NOT NULL DEFAULT 0,
    "treeTotalTokens" BIGINT NOT NULL DEFAULT 0,
    "treeReasoningTokens" BIGINT NOT NULL DEFAULT 0,
    "treeCachedInputTokens" BIGINT NOT NULL DEFAULT 0,
    "descendants" BIGINT NOT NULL DEFAULT 0,
    "treeChanges" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "Tombstone" (
    "key" BIGINT NOT NULL,
    "scopeKey" BIGINT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "generationId" TEXT NOT NULL,
    "generationSequence" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "depth" INTEGER NOT NULL,
    "groupKey" BIGINT NOT NULL,
    "groupDepth" INTEGER NOT NULL,
    "parentSessionId" TEXT,
    "parentGenerationId" TEXT,
    "parentGenerationSequence" BIGINT,
    "agent" TEXT,
    "parentRunId" TEXT,
    "parentToolCallId" TEXT,
    "deletedAt" BIGINT NOT NULL,
    "deletedBy" TEXT NOT NULL,
    "owner" TEXT,
    "settled" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Tombstone_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "TitleGram" (
    "sessionKey" BIGINT NOT NULL,
    "gram" BIGINT NOT NULL,
    "shared" INTEGER NOT NULL,
    "scopeKey" BIGINT NOT NULL,

    CONSTRAINT "TitleGram_pkey" PRIMARY KEY ("sessionKey","gram")
);

-- CreateTable
CREATE TABLE "QueueEntry" (
    "sessionKey" BIGINT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "queueId" TEXT NOT NULL,
    "rank" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "whenBusy" TEXT NOT NULL,
    "budget" TEXT,
    "scopeId" TEXT NOT NULL,
    "clientRequestId" TEXT,
    "delegation" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "outstanding" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,

    CONSTRAINT "QueueEntry_pkey" PRIMARY KEY ("sessionKey","ordinal")
);

-- CreateTable
CREATE TABLE "Run" (
    "sessionKey" BIGINT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "runId" TEXT NOT NULL,
    "queueId" TEXT NOT NULL,
    "generationId" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "scopeId" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "userMessageIndex" BIGINT NOT NULL,
    "assistantMessageIndex" BIGINT NOT NULL,
    "modelProvider" TEXT,
    "modelId" TEXT,
    "steps" INTEGER NOT NULL,
    "partCount" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "owner" TEXT NOT NULL,
    "stepFrom" INTEGER NOT NULL,
    "superseded" TEXT NOT NULL,
    "inputTokens" BIGINT NOT NULL,
    "outputTokens" BIGINT NOT NULL,
    "totalTokens" BIGINT NOT NULL,
    "reasoningTokens" BIGINT NOT NULL,
    "cachedInputTokens" BIGINT NOT NULL,
    "budget" TEXT,
    "workedMs" BIGINT NOT NULL,
    "state" TEXT NOT NULL,

    CONSTRAINT "Run_pkey" PRIMARY KEY ("sessionKey","ordinal")
);

-- CreateTable
CREATE TABLE "Message" (
    "sessionKey" BIGINT NOT NULL,
    "index" BIGINT NOT NULL,
    "messageId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "superseded" TEXT NOT NULL,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("sessionKey","index")
);

-- CreateTable
CREATE TABLE "Part" (
    "sessionKey" BIGINT NOT NULL,
    "messageIndex" BIGINT NOT NULL,
    "partIndex" INTEGER NOT NULL,
    "partId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,

    CONSTRAINT "Part_pkey" PRIMARY KEY ("sessionKey","messageIndex","partIndex")
);

-- CreateTable
CREATE TABLE "PartChunk" (
    "sessionKey" BIGINT NOT NULL,
    "messageIndex" BIGINT NOT NULL,
    "partIndex" INTEGER NOT NULL,
    "offset" BIGINT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "PartChunk_pkey" PRIMARY KEY ("sessionKey","messageIndex","partIndex","offset")
);

-- CreateTable
CREATE TABLE "LogEntry" (
    "sessionKey" BIGINT NOT NULL,
    "index" BIGINT NOT NULL,
    "runId" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "LogEntry_pkey" PRIMARY KEY ("sessionKey","index")
);

-- CreateTable
CREATE TABLE "Permission" (
    "sessionKey" BIGINT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "permissionId" TEXT NOT NULL,
    "scopeKey" BIGINT NOT NULL,
    "runId" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "pending" BOOLEAN NOT NULL,
    "ask" TEXT NOT NULL,
    "state" TEXT NOT NULL,

    CONSTRAINT "Permission_pkey" PRIMARY KEY ("sessionKey","ordinal")
);

-- CreateTable
CREATE TABLE "Grant" (
    "sessionKey" BIGINT NOT NULL,
    "rememberKey" TEXT NOT NULL,
    "permissionId" TEXT NOT NULL,
    "grantedBy" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,

    CONSTRAINT "Grant_pkey" PRIMARY KEY ("sessionKey","rememberKey")
);

-- CreateTable
CREATE TABLE "UncertainExecution" (
    "sessionKey" BIGINT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "intentId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "messageIndex" BIGINT NOT NULL,
    "partIndex" INTEGER NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "uncertainSince" BIGINT NOT NULL,
    "uncertain" BOOLEAN NOT NULL,
    "call" TEXT NOT NULL,
    "state" TEXT NOT NULL,

    CONSTRAINT "UncertainExecution_pkey" PRIMARY KEY ("sessionKey","ordinal")
);

-- CreateTable
CREATE TABLE "Event" (
    "scopeKey" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "sessionKey" BIGINT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "generationId" TEXT NOT NULL,
    "generationSequence" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "rootSequence" BIGINT NOT NULL,
    "body" TEXT,

    CONSTRAINT "Event_pkey" PRIMARY KEY ("scopeKey","sequence")
);

-- CreateTable
CREATE TABLE "ClientRequest" (
    "scopeKey" BIGINT NOT NULL,
    "owner" BIGINT NOT NULL,
    "clientRequestId" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,

    CONSTRAINT "ClientRequest_pkey" PRIMARY KEY ("owner","scopeKey","clientRequestId")
);

-- CreateTable
CREATE TABLE "Instance" (
    "owner" TEXT NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    CONSTRAINT "Instance_pkey" PRIMARY KEY ("owner")
);

-- CreateTable
CREATE TABLE "CommitRecord" (
    "writeId" TEXT NOT NULL,
    "members" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL,

    CONSTRAINT "CommitRecord_pkey" PRIMARY KEY ("writeId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Scope_storageKey_key" ON "Scope"("storageKey");

-- CreateIndex
CREATE INDEX "Session_scopeKey_updatedAt_generationSequence_idx" ON "Session"("scopeKey", "updatedAt", "generationSequence");

-- CreateIndex
CREATE INDEX "Session_scopeKey_parentKey_updatedAt_generationSequence_idx" ON "Session"("scopeKey", "parentKey", "updatedAt", "generationSequence");

-- CreateIndex
CREATE INDEX "Session_scopeKey_agent_updatedAt_generationSequence_idx" ON "Session"("scopeKey", "agent", "updatedAt", "generationSequence");

-- CreateIndex
CREATE INDEX "Session_status_key_idx" ON "Session"("status", "key");

-- CreateIndex
CREATE INDEX "Session_scopeKey_status_path_idx" ON "Session"("scopeKey", "status", "path");

-- CreateIndex
CREATE UNIQUE INDEX "Session_scopeKey_sessionId_key" ON "Session"("scopeKey", "sessionId");

-- CreateIndex
CREATE UNIQUE INDEX "Session_scopeKey_path_key" ON "Session"("scopeKey", "path");

-- CreateIndex
CREATE UNIQUE INDEX "Session_scopeKey_generationSequence_key" ON "Session"("scopeKey", "generationSequence");

-- CreateIndex
CREATE INDEX "Tombstone_groupKey_path_idx" ON "Tombstone"("groupKey", "path");

-- CreateIndex
CREATE INDEX "Tombstone_owner_key_idx" ON "Tombstone"("owner", "key");

-- CreateIndex
CREATE UNIQUE INDEX "Tombstone_scopeKey_sessionId_key" ON "Tombstone"("scopeKey", "sessionId");

-- CreateIndex
CREATE UNIQUE INDEX "Tombstone_scopeKey_path_key" ON "Tombstone"("scopeKey", "path");

-- CreateIndex
CREATE INDEX "TitleGram_scopeKey_gram_shared_sessionKey_idx" ON "TitleGram"("scopeKey", "gram", "shared", "sessionKey");

-- CreateIndex
CREATE UNIQUE INDEX "QueueEntry_queueId_key" ON "QueueEntry"("queueId");

-- CreateIndex
CREATE INDEX "QueueEntry_sessionKey_outstanding_rank_idx" ON "QueueEntry"("sessionKey", "outstanding", "rank");

-- CreateIndex
CREATE UNIQUE INDEX "Run_runId_key" ON "Run"("runId");

-- CreateIndex
CREATE UNIQUE INDEX "Message_messageId_key" ON "Message"("messageId");

-- CreateIndex
CREATE INDEX "Message_runId_idx" ON "Message"("runId");

-- CreateIndex
CREATE UNIQUE INDEX "Permission_permissionId_key" ON "Permission"("permissionId");

-- CreateIndex
CREATE INDEX "Permission_sessionKey_pending_ordinal_idx" ON "Permission"("sessionKey", "pending", "ordinal");

-- CreateIndex
CREATE INDEX "Permission_scopeKey_pending_createdAt_permissionId_idx" ON "Permission"("scopeKey", "pending", "createdAt", "permissionId");

-- CreateIndex
CREATE INDEX "Permission_runId_idx" ON "Permission"("runId");

-- CreateIndex
CREATE UNIQUE INDEX "UncertainExecution_intentId_key" ON "UncertainExecution"("intentId");

-- CreateIndex
CREATE INDEX "UncertainExecution_sessionKey_uncertain_ordinal_idx" ON "UncertainExecution"("sessionKey", "uncertain", "ordinal");

-- CreateIndex
CREATE INDEX "Event_scopeKey_rootSequence_sequence_idx" ON "Event"("scopeKey", "rootSequence", "sequence");

-- CreateIndex
CREATE INDEX "Event_sessionKey_sequence_idx" ON "Event"("sessionKey", "sequence");

-- CreateIndex
CREATE INDEX "ClientRequest_createdAt_idx" ON "ClientRequest"("createdAt");

-- CreateIndex
CREATE INDEX "CommitRecord_createdAt_idx" ON "CommitRecord"("createdAt");
